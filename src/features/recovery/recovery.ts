import * as v from "valibot";
import { CODE_LIFETIME } from "../../accounts/email/code.ts";
import { LONGEST_DELAY, SHORTEST_DELAY } from "../../accounts/recovery/recovery-settings.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { ProtocolError } from "../../lib/error.ts";
import { SECOND } from "../../lib/time.ts";
import { makeOnce } from "../../limits/idempotency.ts";
import { beginRecovery } from "../../recovery/begin.ts";
import type { Evidence } from "../../recovery/begin.ts";
import { cancelByOwner } from "../../recovery/cancel.ts";
import { changeChoices, prepareRecoveryCodes, readWayBack } from "../../recovery/recovery-settings.ts";
import { sendProof } from "../../recovery/email-proof.ts";
import { beginRecoveredPasskey, finishRecovery } from "../../recovery/finish.ts";
import { toAccountJson } from "../../api/account.ts";
import { acceptedLanguage } from "../../http/response/language.ts";
import { counted } from "../../http/response/rate-limit.ts";
import { toRecoveryJson, toWayBackJson } from "../../api/recovery.ts";
import { json, noContent } from "../../http/response/respond.ts";
import type { AccountAnswer, CodeSent } from "../../api/account.ts";
import type { RecoveryAnswer, RecoveryCodesMade, WayBackAnswer } from "../../api/recovery.ts";
import type { Of } from "../../api/value.ts";
import type { CreationOptions } from "../../api/webauthn.ts";
import { giveCookie, takeCookie } from "../../http/cookie/cookies.ts";
import { giveReceipt } from "../../http/cookie/log-receipt.ts";
import type { Browser } from "../../http/guard/account-guards.ts";
import { findRecoveryHere } from "../../http/guard/recovery-guard.ts";
import type { RecoverySession } from "../../http/guard/recovery-guard.ts";
import { readJson, readNoBody } from "../../http/request/body.ts";
import { readIdempotencyKey } from "../../http/request/idempotency-key.ts";
import { readNoQuery } from "../../http/request/query.ts";
import { arrivalOf, placeOf } from "../../http/request/client-info.ts";
import type { RequestContext } from "../../http/request-context.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";

/** The endpoints through which people come back who lost their passkeys, and say beforehand what that takes. */
export interface RecoveryEndpoints {
  readonly sendCode: LegacyEndpoint<Browser>;
  readonly begin: LegacyEndpoint<Browser>;
  readonly present: LegacyEndpoint<RecoverySession>;
  readonly passkeyOptions: LegacyEndpoint<RecoverySession>;
  readonly passkey: LegacyEndpoint<RecoverySession>;
  readonly wayBack: LegacyEndpoint<SignedIn>;
  readonly change: LegacyEndpoint<SignedIn>;
  readonly makeCodes: LegacyEndpoint<SignedIn>;
  readonly cancel: LegacyEndpoint<SignedIn>;
}

const Text = v.pipe(v.string(), v.maxLength(100, "Expected at most 100 characters"));

export const ProofBody = v.strictObject({ email: v.string() });

/** An address with the code that was sent to it, a recovery code, or all three. */
export const EvidenceBody = v.pipe(
  v.strictObject({
    email: v.optional(v.string()),
    code: v.optional(Text),
    recoveryCode: v.optional(Text),
  }),
  v.check(
    ({ email, code, recoveryCode }) =>
      (email === undefined) === (code === undefined) && (email ?? recoveryCode) !== undefined,
    "Expected an address with its code, a recovery code, or all three",
  ),
);
export const PasskeyBody = v.strictObject({ response: v.unknown() });
export const ChoicesBody = v.strictObject({
  delayHours: v.optional(
    v.pipe(v.number(), v.integer(), v.minValue(SHORTEST_DELAY), v.maxValue(LONGEST_DELAY)),
  ),
  emailAlone: v.optional(v.boolean()),
});

function toEvidence({ email, code, recoveryCode }: v.InferOutput<typeof EvidenceBody>): Evidence {
  return {
    ...(email === undefined || code === undefined ? {} : { email: { address: email, code } }),
    ...(recoveryCode === undefined ? {} : { recoveryCode }),
  };
}

/** Makes the endpoints of recoveries over the given services. */
export function createRecoveryEndpoints(services: Services): RecoveryEndpoints {
  const { db, random, relyingParty, baseUrl } = services;

  /** What each story is told of the request. */
  const moment = (context: RequestContext) => ({
    ...placeOf(context),
    relyingParty,
    now: context.now,
    random,
  });

  const sendCode: LegacyEndpoint<Browser> = async (context, browser) => {
    const { email } = await readJson(context, ProofBody);
    if (services.mailDelivery === "none") {
      throw new ProtocolError("not_found", "No mails are sent here: use a recovery code");
    }
    const language = acceptedLanguage(context.request.headers);
    const value = { ...moment(context), email, language, browserHash: browser.hash };
    await sendProof(db, counted(context, services), value);
    return json<typeof CodeSent>(200, { expiresIn: CODE_LIFETIME / SECOND }, browser.cookies);
  };

  const begin: LegacyEndpoint<Browser> = async (context, browser) => {
    const evidence = toEvidence(await readJson(context, EvidenceBody));
    const isWaitedIn = await findRecoveryHere(context, services) !== undefined;
    const value = { ...moment(context), evidence, browserHash: browser.hash, isWaitedIn };
    const { token, recovery } = await beginRecovery(db, counted(context, services), value);
    const body = { recovery: toRecoveryJson(recovery, context.now) };
    return json<typeof RecoveryAnswer>(201, body, [
      ...giveCookie("recovery", token, baseUrl),
      ...browser.cookies,
    ]);
  };

  const present: LegacyEndpoint<RecoverySession> = (context, { own }) => {
    readNoQuery(context);
    const body = { recovery: toRecoveryJson(own.waiting, context.now) };
    return Promise.resolve(json<typeof RecoveryAnswer>(200, body));
  };

  const passkeyOptions: LegacyEndpoint<RecoverySession> = async (context, { own, browser }) => {
    const evidence = toEvidence(await readJson(context, EvidenceBody));
    const value = { ...moment(context), own, evidence, browserHash: browser.hash };
    const options = await beginRecoveredPasskey(db, counted(context, services), value);
    return json<typeof CreationOptions>(200, options, browser.cookies);
  };

  const passkey: LegacyEndpoint<RecoverySession> = async (context, { own }) => {
    const { response } = await readJson(context, PasskeyBody);
    const { from, cookies } = arrivalOf(context, services);
    const finish = { ...moment(context), own, response, from };
    const { account, token } = await finishRecovery(db, services, finish);
    giveReceipt(context, services);
    return json<typeof AccountAnswer>(201, { account: toAccountJson(account) }, [
      ...giveCookie("session", token, baseUrl),
      ...takeCookie("recovery", baseUrl),
      ...takeCookie("browser", baseUrl),
      ...cookies,
    ]);
  };

  const wayBack: LegacyEndpoint<SignedIn> = async (context, { account }) => {
    readNoQuery(context);
    const { now } = context;
    const found = await readWayBack(db, services, { accountId: account.id, now });
    return json<typeof WayBackAnswer>(200, { wayBack: toWayBackJson(found, now) });
  };

  const change: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    const choices = await readJson(context, ChoicesBody);
    const request = { ...moment(context), signedIn };
    const changed = await changeChoices(db, counted(context, services), request, choices);
    return json<typeof WayBackAnswer>(200, { wayBack: toWayBackJson(changed, context.now) });
  };

  const makeCodes: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    await readNoBody(context);
    const { now } = context;
    const { account, session } = signedIn;
    const idempotencyKey = readIdempotencyKey(context);
    // They are shown again to the session alone that made them: another one has to be fresh itself.
    const once = idempotencyKey === undefined ? undefined : {
      holder: session.id,
      accountId: account.id,
      idempotencyKey,
      request: JSON.stringify(["recovery codes"]),
      now,
    };
    const { answer, secret } = await makeOnce(db, services, once, () => {
      const request = { ...moment(context), signedIn };
      const { codes, make, made } = prepareRecoveryCodes(counted(context, services), request);
      return {
        secret: codes.join(" "),
        make: async (tx) => JSON.stringify(toWayBackJson(await make(tx), now)),
        made,
      };
    });
    const wayBack = JSON.parse(answer) as Of<typeof RecoveryCodesMade>["wayBack"];
    return json<typeof RecoveryCodesMade>(201, { codes: secret!.split(" "), wayBack });
  };

  const cancel: LegacyEndpoint<SignedIn> = async (context, signedIn) => {
    await readNoBody(context);
    await cancelByOwner(db, services, { ...moment(context), signedIn });
    return noContent();
  };

  return { sendCode, begin, present, passkeyOptions, passkey, wayBack, change, makeCodes, cancel };
}
