import type { Account } from "../../accounts/account.ts";
import { FRESH_LIFETIME } from "../../accounts/session/fresh-session.ts";
import { isSessionThere, type SignedIn } from "../../accounts/session/session.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { type Instant, SECOND } from "../../lib/time.ts";
import { issueCode } from "./authorization-code.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { authorizationErrorUri, authorizationResponseUri } from "./authorization-response.ts";
import { mayUseClient } from "../client/client-access.ts";
import type { Client } from "../client/client.ts";
import { type Claim, requestedClaims } from "../claims.ts";
import { type ConsentSubject, findConsent } from "./consent.ts";
import { OAuthError } from "../error.ts";
import type { PendingRequest } from "./pending-request.ts";
import { consumePushedRequest } from "./pushed-request.ts";
import type { KeyGrant } from "../grant.ts";
import { asksForKeys, getKeyOptions, isStaleForKeys, type KeyOptions } from "./key-choice.ts";
import { type RedirectTarget, redirectTargetOf } from "../client/redirect-uri.ts";
import type { OAuthServices } from "../services.ts";

export interface ConsentRequest {
  readonly client: Client;
  readonly target: RedirectTarget;
  readonly scope: string;
  readonly claims: readonly Claim[];
  readonly account: Account;
  readonly keys: KeyOptions | undefined;
}

/** The next step of the browser. `requestId` names the pending request. */
export type AuthorizationStep =
  /** Responds with 303 to this URI, with a code or an error. */
  | { readonly kind: "redirect"; readonly uri: string }
  /** The request came without cookies. Responds with 303 to `continueAuthorization`, where the browser sends them. */
  | { readonly kind: "continue"; readonly requestId: string }
  | {
    readonly kind: "sign_in";
    readonly requestId: string;
    readonly client: Client;
    readonly loginHint: string | undefined;
  }
  | { readonly kind: "consent"; readonly requestId: string; readonly consentRequest: ConsentRequest }
  /** The user is in no group of the client. `uri` returns to it with an error. */
  | {
    readonly kind: "no_access";
    readonly requestId: string;
    readonly client: Client;
    readonly account: Account;
    readonly uri: string;
  };

export interface Visitor {
  /** Hash of a secret cookie that outlives the session (`accounts/session/browser-secret.ts`). */
  readonly browserHash: string;
  readonly signedIn: SignedIn | undefined;
}

export interface OperationContext {
  readonly now: Instant;
  readonly random: RandomBytes;
}

export function refusal(
  request: AuthorizationRequest,
  code: "login_required" | "consent_required" | "access_denied",
  description: string,
): OAuthError {
  return new OAuthError(code, description, { redirectTo: request });
}

/**
 * Returns the next step of a request. Stores a request that must wait with `storePending`. Writes nothing if it throws.
 */
export async function proceed(
  tx: Db,
  services: OAuthServices,
  { request, requestedAt, visitor: { signedIn }, now, random }: OperationContext & {
    request: AuthorizationRequest;
    requestedAt: Instant;
    visitor: Visitor;
  },
  storePending: (sessionId: string | null) => Promise<PendingRequest>,
): Promise<AuthorizationStep> {
  const { client, prompt, loginHint, redirectUri, scope } = request;
  if (
    signedIn === undefined || mustSignIn(request, signedIn, { requestedAt, now }) ||
    !await isSessionThere(tx, services.authority, signedIn.session)
  ) {
    if (prompt.includes("none")) throw refusal(request, "login_required", "The user must sign in");
    return { kind: "sign_in", requestId: (await storePending(null)).row.id, client, loginHint };
  }
  if (!await mayUseClient(tx, services.authority, client, signedIn.account.id)) {
    const error = refusal(request, "access_denied", "The user may not use this application");
    if (prompt.includes("none")) throw error;
    const requestId = (await storePending(signedIn.session.id)).row.id;
    const uri = authorizationErrorUri(services.issuer, error)!;
    return { kind: "no_access", requestId, client, account: signedIn.account, uri };
  }
  const subject = consentSubject(request, signedIn);
  const consent = prompt.includes("consent") || asksForKeys(request)
    ? undefined
    : await findConsent(tx, services.authority, { ...subject, registeredAt: client.createdAt });
  if (consent === undefined) {
    if (prompt.includes("none")) throw refusal(request, "consent_required", "The user must be asked first");
    const { account } = signedIn;
    const keys = await getKeyOptions(tx, services, request, { accountId: account.id, client, now });
    const claims = requestedClaims(request);
    const consentRequest = { client, target: redirectTargetOf(redirectUri), scope, claims, account, keys };
    return { kind: "consent", requestId: (await storePending(signedIn.session.id)).row.id, consentRequest };
  }
  // Consent is stored. Without this limit, a redirect loop would add a grant and an audit entry each time.
  await services.limits.take(tx, "authorization_code", signedIn.account.id, now);
  const uri = await codeUri(tx, services, {
    request,
    signedIn,
    keyGrant: undefined,
    wallets: consent.wallets,
    now,
    random,
  });
  return { kind: "redirect", uri };
}

/**
 * Returns true if the user must sign in (again) for this request. A sign-in after the request satisfies everything
 * except the hint. Throws `login_required` if it was for another account than `id_token_hint` names (OpenID Connect
 * Core section 3.1.2.1). A sign-in ten minutes or more in the future satisfies nothing, because the clock was set
 * back.
 */
export function mustSignIn(
  request: AuthorizationRequest,
  { session, account }: SignedIn,
  { requestedAt, now }: { requestedAt: Instant; now: Instant },
): boolean {
  const { prompt, maxAge, hintedAccountId } = request;
  const isToCome = session.authenticatedAt - now >= FRESH_LIFETIME;
  const isFresh = session.authenticatedAt > requestedAt && !isToCome;
  if (hintedAccountId !== undefined && hintedAccountId !== account.id) {
    if (isFresh) {
      throw refusal(
        request,
        "login_required",
        "Another user is signed in than the one that id_token_hint names",
      );
    }
    return true;
  }
  if (isStaleForKeys(request, session.authenticatedAt, now)) return true;
  if (isFresh) return false;
  const age = requestedAt - session.authenticatedAt;
  return (maxAge !== undefined && (isToCome || age >= maxAge * SECOND)) || prompt.includes("login") ||
    prompt.includes("select_account");
}

export function consentSubject(
  { client: { clientId }, redirectUri, scope, claims }: AuthorizationRequest,
  { account }: SignedIn,
): ConsentSubject {
  return { accountId: account.id, clientId, redirectUri, scope, claims };
}

/** Issues a code. Uses up the pushed request, and throws `invalid_request_uri` if another code has done so. */
export async function codeUri(
  tx: Db,
  services: OAuthServices,
  { request, signedIn, keyGrant, wallets, now, random }: OperationContext & {
    request: AuthorizationRequest;
    signedIn: SignedIn;
    keyGrant: KeyGrant | undefined;
    wallets: readonly string[] | undefined;
  },
): Promise<string> {
  await consumePushedRequest(tx, services, request);
  const { codeChallenge, nonce, dpopJkt, resource } = request;
  const bound = { codeChallenge, nonce, dpopJkt, resource, keyGrant, wallets, session: signedIn.session };
  const subject = { ...consentSubject(request, signedIn), ...bound };
  const code = await issueCode(tx, services, { subject, now, random });
  return authorizationResponseUri(services.issuer, request, { code });
}
