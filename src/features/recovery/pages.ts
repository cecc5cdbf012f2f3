import { listPasskeys } from "../../accounts/passkey/passkey.ts";
import { toRecoveryJson, toRecoverySettingsJson } from "../../api/recovery.ts";
import { readServiceCookie, setServiceCookie } from "../../http/cookie/cookies.ts";
import { toAccountView, toFrame } from "../../http/frame-view.ts";
import { pageSession, pageVisitor } from "../../http/guard/account-guards.ts";
import { publicAccess } from "../../http/guard/guard.ts";
import { operationContextOf } from "../../http/request/client-info.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { htmlPage, isLocalPath } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { toIso } from "../../lib/time.ts";
import { cancelByLink, findCancellable } from "../../recovery/cancel.ts";
import { findOwnRecovery } from "../../recovery/finish.ts";
import { readRecoverySettings } from "../../recovery/recovery-settings.ts";
import { cancelRecoveryPage, recoverPage } from "./recover-page.ts";
import { recoverySettingsPage } from "./recovery-settings-page.ts";
import { CancelForm, CancelQuery, SettingsQuery } from "./schema.ts";

export const showRecovery = defineEndpoint(pageVisitor, {}, async (context, _signedIn, _input, services) => {
  const { now } = context;
  const { db, baseUrl, mailDelivery } = services;
  const token = readServiceCookie(context, "recovery", baseUrl);
  const own = token === undefined ? undefined : await findOwnRecovery(db, services, { token, now });
  const page = { ...toFrame(services, context), mail: mailDelivery };
  // Keeps the cookie of a disabled account's recovery: it is valid again once the account is enabled.
  if (token === undefined || own === undefined) return htmlPage(200, recoverPage(page));
  const recovery = { ...toRecoveryJson(own.pending, now), byCode: own.pending.method === "code" };
  // Renews the cookie, because a recovery whose waiting time starts again ends later than the cookie would.
  return htmlPage(200, recoverPage({ ...page, recovery }), setServiceCookie("recovery", token, baseUrl));
});

export const showCancelForm = defineEndpoint(
  publicAccess,
  { pageQuery: CancelQuery },
  async (context, _principal, { query: { recovery = "", proof = "" } }, services: Services) => {
    const link = { recoveryId: recovery, proof, now: context.now };
    const pending = await findCancellable(services.db, services, link);
    const frame = toFrame(services, context);
    if (pending === undefined) {
      return htmlPage(200, cancelRecoveryPage({ ...frame, state: { is: "nothing" } }));
    }
    const { device, network, begunAt } = pending;
    const state = { is: "waiting", recovery, proof, device, network, begunAt: toIso(begunAt) } as const;
    return htmlPage(200, cancelRecoveryPage({ ...frame, state }));
  },
);

export const submitCancelForm = defineEndpoint(
  publicAccess,
  { form: CancelForm },
  async (context, _principal, { body: { recovery, proof } }, services: Services) => {
    const link = { ...operationContextOf(context, services), recoveryId: recovery, proof };
    const isDone = await cancelByLink(services.db, withRateLimitHeaders(context, services), link);
    const state = { is: isDone ? "cancelled" : "nothing" } as const;
    return htmlPage(200, cancelRecoveryPage({ ...toFrame(services, context), state }));
  },
);

export const showSettings = defineEndpoint(
  pageSession,
  { pageQuery: SettingsQuery },
  async (context, { account }, { query: { next = "" } }, services) => {
    const { now } = context;
    const { db, authority } = services;
    const found = await readRecoverySettings(db, services, { accountId: account.id, now });
    const passkeys = await listPasskeys(db, authority, account.id);
    return htmlPage(
      200,
      recoverySettingsPage({
        account: toAccountView(account, services, context),
        recoverySettings: toRecoverySettingsJson(found, now),
        passkeys: passkeys.length,
        hasAddress: account.email !== null,
        ...(isLocalPath(next) ? { next } : {}),
      }),
    );
  },
);
