import * as v from "valibot";
import { listPasskeys } from "../../accounts/passkey/passkey.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { toIso } from "../../lib/time.ts";
import { cancelByLink, findCancellable } from "../../recovery/cancel.ts";
import { readWayBack } from "../../recovery/recovery-settings.ts";
import { findOwnRecovery } from "../../recovery/finish.ts";
import { cancelRecoveryPage, recoverPage } from "./recover-page.ts";
import { wayBackPage } from "./recovery-settings-page.ts";
import { toAccountView, toFrame } from "../../http/frame-view.ts";
import { counted } from "../../http/response/rate-limit.ts";
import { toRecoveryJson, toWayBackJson } from "../../api/recovery.ts";
import { htmlPage, isLocalPath } from "../../http/response/respond.ts";
import { giveCookie, readOurCookie } from "../../http/cookie/cookies.ts";
import { readForm } from "../../http/request/body.ts";
import { readPageQuery } from "../../http/request/query.ts";
import { placeOf } from "../../http/request/client-info.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";

/** The pages of whoever lost their passkeys, and of an account's way back. */
export interface RecoveryPages {
  readonly recover: LegacyEndpoint<SignedIn | undefined>;
  readonly cancelPage: LegacyEndpoint<undefined>;
  readonly cancel: LegacyEndpoint<undefined>;
  readonly wayBack: LegacyEndpoint<SignedIn>;
}

/** What the link of a mail brings. */
export const CancelQuery = v.strictObject({
  recovery: v.optional(v.string()),
  proof: v.optional(v.string()),
});
export const CancelForm = v.strictObject({ recovery: v.string(), proof: v.string() });

/** Where somebody goes on who has just made the account: a path of ours. */
export const WayBackQuery = v.strictObject({ next: v.optional(v.string()) });

type PageServices = Pick<
  Services,
  | "db"
  | "vault"
  | "authority"
  | "limits"
  | "mailer"
  | "mailDelivery"
  | "random"
  | "relyingParty"
  | "baseUrl"
  | "tee"
>;

/** Makes the pages over the given services. */
export function createRecoveryPages(services: PageServices): RecoveryPages {
  const { db, authority, baseUrl, mailDelivery, random, relyingParty } = services;

  const recover: LegacyEndpoint<SignedIn | undefined> = async (context) => {
    const { now } = context;
    const token = readOurCookie(context, "recovery", baseUrl);
    const own = token === undefined ? undefined : await findOwnRecovery(db, services, { token, now });
    const page = { ...toFrame(services, context), mail: mailDelivery };
    // Its cookie stays: of an account that is disabled it counts again once that is enabled.
    if (token === undefined || own === undefined) return htmlPage(200, recoverPage(page));
    const recovery = { ...toRecoveryJson(own.waiting, now), byCode: own.waiting.way === "code" };
    // For as long again: one that waits anew ends later than it was to end when the browser got the cookie.
    return htmlPage(200, recoverPage({ ...page, recovery }), giveCookie("recovery", token, baseUrl));
  };

  const cancelPage: LegacyEndpoint<undefined> = async (context) => {
    const { recovery = "", proof = "" } = readPageQuery(context, CancelQuery);
    const link = { recoveryId: recovery, proof, now: context.now };
    const waiting = await findCancellable(db, services, link);
    const frame = toFrame(services, context);
    if (waiting === undefined) {
      return htmlPage(200, cancelRecoveryPage({ ...frame, state: { is: "nothing" } }));
    }
    const { device, network, begunAt } = waiting;
    const state = { is: "waiting", recovery, proof, device, network, begunAt: toIso(begunAt) } as const;
    return htmlPage(200, cancelRecoveryPage({ ...frame, state }));
  };

  const cancel: LegacyEndpoint<undefined> = async (context) => {
    const { recovery: recoveryId, proof } = await readForm(context, CancelForm);
    const moment = { ...placeOf(context), relyingParty, now: context.now, random };
    const isDone = await cancelByLink(db, counted(context, services), { recoveryId, proof, ...moment });
    const state = { is: isDone ? "cancelled" : "nothing" } as const;
    return htmlPage(200, cancelRecoveryPage({ ...toFrame(services, context), state }));
  };

  const wayBack: LegacyEndpoint<SignedIn> = async (context, { account }) => {
    const { now } = context;
    const { next = "" } = readPageQuery(context, WayBackQuery);
    const found = await readWayBack(db, services, { accountId: account.id, now });
    const passkeys = await listPasskeys(db, authority, account.id);
    return htmlPage(
      200,
      wayBackPage({
        account: toAccountView(account, services, context),
        wayBack: toWayBackJson(found, now),
        passkeys: passkeys.length,
        hasAddress: account.email !== null,
        ...(isLocalPath(next) ? { next } : {}),
      }),
    );
  };

  return { recover, cancelPage, cancel, wayBack };
}
