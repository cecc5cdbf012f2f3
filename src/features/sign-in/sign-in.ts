import * as v from "valibot";
import { beginAddPasskey, finishAddPasskey } from "../../accounts/add-passkey.ts";
import { CODE_LIFETIME } from "../../accounts/email/code.ts";
import { issueEmailCode, redeemEmailCode } from "../../accounts/email/email-code.ts";
import { findSignInAccountId } from "../../accounts/identity/sign-in-ticket.ts";
import { findSession, revokeSession } from "../../accounts/session/session.ts";
import type { Session, SignedIn } from "../../accounts/session/session.ts";
import { beginSignIn, signIn } from "../../accounts/sign-in.ts";
import type { SignUpTicket } from "../../accounts/sign-up-ticket.ts";
import { beginSignUp, finishSignUp } from "../../accounts/sign-up.ts";
import { toAccountJson } from "../../api/account.ts";
import type { AccountAnswer, CodeSent } from "../../api/account.ts";
import { toKeyJson } from "../../api/key.ts";
import { toPasskeyJson } from "../../api/passkey.ts";
import type { PasskeyAnswer } from "../../api/passkey.ts";
import type { CreationOptions, RequestOptions } from "../../api/webauthn.ts";
import { giveCookie, readOurCookie, takeCookie } from "../../http/cookie/cookies.ts";
import { giveReceipt } from "../../http/cookie/log-receipt.ts";
import { unauthenticated } from "../../http/guard/account-guards.ts";
import type { Browser, SignUpOrSession } from "../../http/guard/account-guards.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { readJson, readNoBody } from "../../http/request/body.ts";
import { arrivalOf, placeOf } from "../../http/request/client-info.ts";
import { acceptedLanguage } from "../../http/response/language.ts";
import { counted } from "../../http/response/rate-limit.ts";
import { json } from "../../http/response/respond.ts";
import type { ExtraHeaders } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { createKey } from "../../keys/key.ts";
import { ProtocolError } from "../../lib/error.ts";
import { networkOf } from "../../lib/ip-address.ts";
import { SECOND } from "../../lib/time.ts";
import { findBroughtEntry } from "./invitation-cookie.ts";
import type { AddressProven, SignedUp } from "./schema.ts";
import { CodeBody, RegistrationBody, RegistrationOptionsBody, VerifyBody } from "./sign-up.ts";

/** The endpoints that make accounts and sign people in. */
export interface AccountEndpoints {
  readonly sendCode: LegacyEndpoint<Browser>;
  readonly verifyCode: LegacyEndpoint<Browser>;
  readonly registrationOptions: LegacyEndpoint<SignUpOrSession>;
  readonly registration: LegacyEndpoint<SignUpOrSession>;
  readonly authenticationOptions: LegacyEndpoint<Browser>;
  readonly authentication: LegacyEndpoint<Browser>;
}

type AccountServices = Pick<
  Services,
  | "db"
  | "groupCommit"
  | "vault"
  | "authority"
  | "witness"
  | "limits"
  | "mailer"
  | "mailDelivery"
  | "signUp"
  | "random"
  | "relyingParty"
  | "baseUrl"
>;

export const AuthenticationBody = v.strictObject({ response: v.unknown() });

/**
 * The account that a passkey is made for. A browser can have the right to both: a ticket left over from a sign-up that
 * nobody finished must not take the passkey that somebody adds to their account, so where the body does not say which,
 * it is that of whoever is signed in.
 */
function chooseAccount(
  { ticket, signedIn }: SignUpOrSession,
  account: "new" | "present" | undefined,
): SignUpTicket | SignedIn {
  const chosen = (account ?? (signedIn === undefined ? "new" : "present")) === "new" ? ticket : signedIn;
  if (chosen === undefined) throw unauthenticated();
  return chosen;
}

/** Makes the account endpoints over the given services. */
export function createAccountEndpoints(services: AccountServices): AccountEndpoints {
  const { db, authority, random, relyingParty, baseUrl } = services;

  /** What each ceremony is told of the request. */
  const ceremony = ({ clientAddress, now }: RequestContext) => ({
    network: networkOf(clientAddress),
    relyingParty,
    now,
    random,
  });

  const sendCode: LegacyEndpoint<Browser> = async (context, browser) => {
    const { email } = await readJson(context, CodeBody);
    if (services.mailDelivery === "none") {
      throw new ProtocolError("not_found", "There is no sign-up by e-mail here: use another provider");
    }
    const entry = await findBroughtEntry(context, services);
    await issueEmailCode(db, counted(context, services), {
      ...ceremony(context),
      email,
      language: acceptedLanguage(context.request.headers),
      entry,
      browserHash: browser.hash,
    });
    return json<typeof CodeSent>(200, { expiresIn: CODE_LIFETIME / SECOND }, browser.cookies);
  };

  const verifyCode: LegacyEndpoint<Browser> = async (context, browser) => {
    const body = await readJson(context, VerifyBody);
    const entry = await findBroughtEntry(context, services);
    const value = { ...ceremony(context), ...body, entry, browserHash: browser.hash };
    const outcome = await redeemEmailCode(db, counted(context, services), value);
    const cookies = outcome.next === "register_passkey" ? giveCookie("ticket", outcome.ticket, baseUrl) : [];
    return json<typeof AddressProven>(200, { next: outcome.next }, cookies);
  };

  const registrationOptions: LegacyEndpoint<SignUpOrSession> = async (context, signUpOrSession) => {
    const { account } = await readJson(context, RegistrationOptionsBody, { content: "empty-allowed" });
    const value = ceremony(context);
    const chosen = chooseAccount(signUpOrSession, account);
    return json<typeof CreationOptions>(
      200,
      "session" in chosen
        ? await beginAddPasskey(db, counted(context, services), { ...value, signedIn: chosen })
        : await beginSignUp(db, counted(context, services), { ...value, ticket: chosen }),
    );
  };

  const registration: LegacyEndpoint<SignUpOrSession> = async (context, signUpOrSession) => {
    const { response, name, account } = await readJson(context, RegistrationBody);
    const value = { ...ceremony(context), response, name };
    const chosen = chooseAccount(signUpOrSession, account);
    if ("session" in chosen) {
      const passkey = await finishAddPasskey(db, counted(context, services), {
        ...value,
        ...placeOf(context),
        signedIn: chosen,
      });
      return json<typeof PasskeyAnswer>(201, { passkey: toPasskeyJson(passkey, chosen.session) });
    }
    const { from, cookies } = arrivalOf(context, services);
    const language = acceptedLanguage(context.request.headers);
    const enrolled = await finishSignUp(db, counted(context, services), {
      ...value,
      from,
      language,
      ticket: chosen,
      signUp: services.signUp,
      createFirstKey: (tx, accountId) =>
        createKey(tx, services, { accountId, label: undefined, now: context.now, random }),
    });
    await endReplacedSession(context, enrolled.session);
    giveReceipt(context, services);
    const body = { account: toAccountJson(enrolled.account), key: toKeyJson(enrolled.key) };
    return json<typeof SignedUp>(201, body, [...signedInCookies(enrolled.token), ...cookies]);
  };

  const authenticationOptions: LegacyEndpoint<Browser> = async (context, browser) => {
    await readNoBody(context);
    const token = readOurCookie(context, "signIn", baseUrl);
    const accountId = token === undefined
      ? undefined
      : await findSignInAccountId(db, authority, { token, now: context.now });
    const options = await beginSignIn(db, counted(context, services), {
      ...ceremony(context),
      browserHash: browser.hash,
      ...(accountId === undefined ? {} : { accountId }),
    });
    return json<typeof RequestOptions>(200, options, browser.cookies);
  };

  const authentication: LegacyEndpoint<Browser> = async (context, browser) => {
    const { response } = await readJson(context, AuthenticationBody);
    const { from, cookies } = arrivalOf(context, services);
    const attempt = { ...ceremony(context), from, response, browserHash: browser.hash };
    const { account, session, token } = await signIn(db, counted(context, services), attempt);
    await endReplacedSession(context, session);
    giveReceipt(context, services);
    const body = { account: toAccountJson(account) };
    return json<typeof AccountAnswer>(200, body, [...signedInCookies(token), ...cookies]);
  };

  /** Gives the new session's cookie, and takes those of the way there. */
  function signedInCookies(token: string): ExtraHeaders {
    return [
      ...giveCookie("session", token, baseUrl),
      ...takeCookie("ticket", baseUrl),
      ...takeCookie("invitation", baseUrl),
      ...takeCookie("signIn", baseUrl),
      ...takeCookie("browser", baseUrl),
    ];
  }

  /** The session this browser had before it signed in anew is over: nobody holds its token any more. */
  async function endReplacedSession(context: RequestContext, successor: Session): Promise<void> {
    const { now } = context;
    const token = readOurCookie(context, "session", baseUrl);
    const replaced = token === undefined ? undefined : await findSession(db, authority, { token, now });
    if (replaced === undefined) return;
    const ending = { session: replaced.session, successor, now, random };
    await services.groupCommit.run((tx) => revokeSession(tx, services, ending));
  }

  return {
    sendCode,
    verifyCode,
    registrationOptions,
    registration,
    authenticationOptions,
    authentication,
  };
}
