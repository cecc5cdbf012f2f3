import { CODE_LIFETIME } from "../../accounts/email/code.ts";
import { type AccountAnswer, type CodeSent, toAccountJson } from "../../api/account.ts";
import { type RecoveryAnswer, toRecoveryJson } from "../../api/recovery.ts";
import type { Of } from "../../api/value.ts";
import type { CreationOptions } from "../../api/webauthn.ts";
import { clearServiceCookie, setServiceCookie, setSessionCookie } from "../../http/cookie/cookies.ts";
import { setLogReceipt } from "../../http/cookie/log-receipt.ts";
import { browser } from "../../http/guard/account-guards.ts";
import { findRecoveryHere, recoverySession } from "../../http/guard/recovery-guard.ts";
import { operationContextOf, signInContextOf } from "../../http/request/client-info.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { acceptedLanguage } from "../../http/response/language.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { json } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import { ProtocolError } from "../../lib/error.ts";
import { SECOND } from "../../lib/time.ts";
import { beginRecovery, type Evidence } from "../../recovery/begin.ts";
import { sendProof } from "../../recovery/email-proof.ts";
import { beginRecoveredPasskey, finishRecovery } from "../../recovery/finish.ts";
import { CodeBody, EvidenceBody, PasskeyBody } from "./schema.ts";

function toEvidence({ email, code, recoveryCode }: Of<typeof EvidenceBody>): Evidence {
  return {
    ...(email === undefined || code === undefined ? {} : { email: { address: email, code } }),
    ...(recoveryCode === undefined ? {} : { recoveryCode }),
  };
}

export const sendCode = defineEndpoint(
  browser,
  { body: CodeBody },
  async (context, { hash, cookies }, { body }, services) => {
    if (services.mailDelivery === "none") {
      throw new ProtocolError("not_found", "This service sends no mails: use a recovery code");
    }
    await sendProof(services.db, withRateLimitHeaders(context, services), {
      ...operationContextOf(context, services),
      email: body.email,
      language: acceptedLanguage(context.request.headers),
      browserHash: hash,
    });
    return json<typeof CodeSent>(200, { expiresIn: CODE_LIFETIME / SECOND }, cookies);
  },
);

export const createRecovery = defineEndpoint(
  browser,
  { body: EvidenceBody },
  async (context, { hash, cookies }, { body }, services) => {
    const { token, recovery } = await beginRecovery(services.db, withRateLimitHeaders(context, services), {
      ...operationContextOf(context, services),
      evidence: toEvidence(body),
      browserHash: hash,
      hasPendingInBrowser: await findRecoveryHere(context, services) !== undefined,
    });
    return json<typeof RecoveryAnswer>(201, { recovery: toRecoveryJson(recovery, context.now) }, [
      ...setServiceCookie("recovery", token, services.baseUrl),
      ...cookies,
    ]);
  },
);

export const getRecovery = defineEndpoint(
  recoverySession,
  { query: NO_MEMBERS },
  ({ now }, { own }) =>
    Promise.resolve(json<typeof RecoveryAnswer>(200, { recovery: toRecoveryJson(own.pending, now) })),
);

export const createPasskeyOptions = defineEndpoint(
  recoverySession,
  { body: EvidenceBody },
  async (context, { own, browser: { hash, cookies } }, { body }, services) => {
    const options = await beginRecoveredPasskey(services.db, withRateLimitHeaders(context, services), {
      ...operationContextOf(context, services),
      own,
      evidence: toEvidence(body),
      browserHash: hash,
    });
    return json<typeof CreationOptions>(200, options, cookies);
  },
);

/** Registers the new passkey, which completes the recovery and signs the browser in. */
export const registerPasskey = defineEndpoint(
  recoverySession,
  { body: PasskeyBody },
  async (context, { own }, { body }, services) => {
    const { db, baseUrl } = services;
    const { from, cookies } = signInContextOf(context, services);
    const finish = { ...operationContextOf(context, services), own, response: body.response, from };
    const { account, session, token } = await finishRecovery(db, services, finish);
    setLogReceipt(context, services);
    return json<typeof AccountAnswer>(201, { account: toAccountJson(account) }, [
      ...setSessionCookie(token, session, services),
      ...clearServiceCookie("recovery", baseUrl),
      ...clearServiceCookie("browser", baseUrl),
      ...cookies,
    ]);
  },
);
