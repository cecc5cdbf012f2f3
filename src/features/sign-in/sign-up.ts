import { beginAddPasskey, finishAddPasskey } from "../../accounts/add-passkey.ts";
import { CODE_LIFETIME } from "../../accounts/email/code.ts";
import { issueEmailCode, redeemEmailCode } from "../../accounts/email/email-code.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import type { SignUpTicket } from "../../accounts/sign-up-ticket.ts";
import { beginSignUp, finishSignUp } from "../../accounts/sign-up.ts";
import { type CodeSent, toAccountJson } from "../../api/account.ts";
import { toKeyJson } from "../../api/key.ts";
import { type PasskeyAnswer, toPasskeyJson } from "../../api/passkey.ts";
import type { Of } from "../../api/value.ts";
import type { CreationOptions } from "../../api/webauthn.ts";
import { setServiceCookie } from "../../http/cookie/cookies.ts";
import { browser, signUpOrSession, unauthenticated } from "../../http/guard/account-guards.ts";
import type { SignUpOrSession } from "../../http/guard/account-guards.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { operationContextOf, signInContextOf } from "../../http/request/client-info.ts";
import { acceptedLanguage } from "../../http/response/language.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { json } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { createKey } from "../../keys/key.ts";
import { ProtocolError } from "../../lib/error.ts";
import { SECOND } from "../../lib/time.ts";
import { findPresentedAdmission } from "./invitation-cookie.ts";
import { startSession } from "./new-session.ts";
import { CodeBody, RegistrationBody, RegistrationOptionsBody, VerifyBody } from "./schema.ts";
import type { AddressProven, SignedUp } from "./schema.ts";

export const sendCode = defineEndpoint(
  browser,
  { body: CodeBody },
  async (context, { hash, cookies }, { body: { email } }, services) => {
    if (services.mailDelivery === "none") {
      throw new ProtocolError("not_found", "This service has no sign-up by e-mail: use another provider");
    }
    const admission = await findPresentedAdmission(context, services);
    await issueEmailCode(services.db, withRateLimitHeaders(context, services), {
      ...operationContextOf(context, services),
      email,
      language: acceptedLanguage(context.request.headers),
      admission,
      browserHash: hash,
    });
    return json<typeof CodeSent>(200, { expiresIn: CODE_LIFETIME / SECOND }, cookies);
  },
);

export const verifyCode = defineEndpoint(
  browser,
  { body: VerifyBody },
  async (context, { hash }, { body }, services) => {
    const admission = await findPresentedAdmission(context, services);
    const value = { ...operationContextOf(context, services), ...body, admission, browserHash: hash };
    const outcome = await redeemEmailCode(services.db, withRateLimitHeaders(context, services), value);
    const cookies = outcome.next === "register_passkey"
      ? setServiceCookie("ticket", outcome.ticket, services.baseUrl)
      : [];
    return json<typeof AddressProven>(200, { next: outcome.next }, cookies);
  },
);

/**
 * Returns the account that a passkey is for. A browser can have both a session and the ticket of an unfinished
 * sign-up. Without `account` the session takes precedence, so that the ticket does not take the passkey.
 */
function chooseAccount(
  { ticket, signedIn }: SignUpOrSession,
  account: "new" | "present" | undefined,
): SignUpTicket | SignedIn {
  const chosen = (account ?? (signedIn === undefined ? "new" : "present")) === "new" ? ticket : signedIn;
  if (chosen === undefined) throw unauthenticated();
  return chosen;
}

export const createRegistrationOptions = defineEndpoint(
  signUpOrSession,
  { optionalBody: RegistrationOptionsBody },
  async (context, principal, { body: { account } }, services) => {
    const { db } = services;
    const value = operationContextOf(context, services);
    const chosen = chooseAccount(principal, account);
    return json<typeof CreationOptions>(
      200,
      "session" in chosen
        ? await beginAddPasskey(db, withRateLimitHeaders(context, services), { ...value, signedIn: chosen })
        : await beginSignUp(db, withRateLimitHeaders(context, services), { ...value, ticket: chosen }),
    );
  },
);

type Registration = Of<typeof RegistrationBody>;

async function addPasskey(
  context: RequestContext,
  signedIn: SignedIn,
  { response, name }: Registration,
  services: Services,
): Promise<Response> {
  const value = { ...operationContextOf(context, services), signedIn, response, name };
  const passkey = await finishAddPasskey(services.db, withRateLimitHeaders(context, services), value);
  return json<typeof PasskeyAnswer>(201, { passkey: toPasskeyJson(passkey, signedIn.session) });
}

async function signUp(
  context: RequestContext,
  ticket: SignUpTicket,
  { response, name, staySignedIn }: Registration,
  services: Services,
): Promise<Response> {
  const { from, cookies } = signInContextOf(context, services);
  const operationContext = operationContextOf(context, services);
  const enrolled = await finishSignUp(services.db, withRateLimitHeaders(context, services), {
    ...operationContext,
    response,
    name,
    from,
    isShared: !staySignedIn,
    language: acceptedLanguage(context.request.headers),
    ticket,
    signUp: services.signUp,
    createFirstKey: (tx, accountId) =>
      createKey(tx, services, { ...operationContext, accountId, label: undefined }),
  });
  const sessionCookies = await startSession(context, services, enrolled);
  const body = { account: toAccountJson(enrolled.account), key: toKeyJson(enrolled.key) };
  return json<typeof SignedUp>(201, body, [...sessionCookies, ...cookies]);
}

export const registerPasskey = defineEndpoint(
  signUpOrSession,
  { body: RegistrationBody },
  (context, principal, { body }, services) => {
    const chosen = chooseAccount(principal, body.account);
    return "session" in chosen
      ? addPasskey(context, chosen, body, services)
      : signUp(context, chosen, body, services);
  },
);
