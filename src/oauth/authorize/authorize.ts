import type { Account } from "../../accounts/account.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { appendAudit } from "../../audit/log.ts";
import type { Db } from "../../db/schema.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { SECOND } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import { widen } from "../../limits/network.ts";
import { issueCode } from "./authorization-code.ts";
import { readAuthorizationRequest } from "./authorization-request.ts";
import type { AuthorizationRequest, ReceivedAuthorizationRequest } from "./authorization-request.ts";
import { authorizationErrorUri, authorizationResponseUri } from "./authorization-response.ts";
import type { Client } from "../client/client.ts";
import { isConsentRemembered, rememberConsent } from "./consent.ts";
import type { ConsentSubject } from "./consent.ts";
import { OAuthError } from "../error.ts";
import {
  bindPendingRequest,
  consumePendingRequest,
  getPendingRequest,
  isAskedSession,
  storePendingRequest,
} from "./pending-request.ts";
import type { PendingRequest } from "./pending-request.ts";
import type { KeyGrant } from "../grant.ts";
import { asksForKeys, grantChoice, isStaleForKeys, keyQuestionOf } from "./key-choice.ts";
import type { KeyChoice, KeyQuestion } from "./key-choice.ts";
import { redirectTargetOf } from "../client/redirect-uri.ts";
import type { RedirectTarget } from "../client/redirect-uri.ts";
import type { OAuthServices } from "../services.ts";

/** What a person is asked before an application learns who they are. */
export interface ConsentQuestion {
  readonly client: Client;
  readonly target: RedirectTarget;
  readonly scope: string;
  readonly account: Account;
  /** Undefined where nothing is asked of the person's keys. */
  readonly keys: KeyQuestion | undefined;
}

/** What the browser does next. `requestId` names the pending request. */
export type AuthorizationStep =
  /** 303 to this URI: a code or an error. */
  | { readonly kind: "redirect"; readonly uri: string }
  /** The request came without cookies: 303 to where the browser brings them, to `continueAuthorization`. */
  | { readonly kind: "continue"; readonly requestId: string }
  | {
    readonly kind: "sign_in";
    readonly requestId: string;
    readonly client: Client;
    readonly loginHint: string | undefined;
  }
  | { readonly kind: "consent"; readonly requestId: string; readonly question: ConsentQuestion };

/** The browser that asks, and who is signed in there. */
export interface Visitor {
  /** Hash of a secret cookie that outlives signing in (`accounts/session/browser.ts`). */
  readonly browserHash: string;
  readonly signedIn: SignedIn | undefined;
}

interface Moment {
  readonly now: Instant;
  readonly random: RandomBytes;
}

/**
 * The authorization endpoint (OpenID Connect Core section 3.1.2): reads the request and answers the next step. Faults
 * that may go back to the client do so as a `redirect`; an OAuthError that is thrown becomes a page. `visitor` is
 * undefined where no cookie was read (POST). Also throws `rate_limited`. `db` must be the outer handle.
 */
export async function authorize(
  db: Db,
  services: OAuthServices,
  value: ReceivedAuthorizationRequest & Moment & { visitor: Visitor | undefined; network: string },
): Promise<AuthorizationStep> {
  const { visitor, network, now, random } = value;
  return await redirectingErrors(services.issuer, async () => {
    const request = await readAuthorizationRequest(db, services, value);
    return await services.groupCommit.run(async (tx) => {
      const store = async (sessionId: string | null): Promise<PendingRequest> => {
        await services.limits.take(tx, "authorization_request", network, now);
        await services.limits.take(tx, "authorization_request_site", widen(network, "site"), now);
        const holder = { browserHash: visitor?.browserHash ?? null, sessionId };
        return await storePendingRequest(tx, services, { request, holder, requestedAt: now, random });
      };
      if (visitor !== undefined) {
        return await proceed(tx, services, { request, requestedAt: now, visitor, now, random }, store);
      }
      return { kind: "continue", requestId: (await store(null)).row.id };
    });
  });
}

/**
 * Goes on with a pending request: after POST, after signing in, or because a page of it is opened again. A request that
 * another session was asked about goes on under a new id, so that a page still open for that session decides nothing.
 * Throws an OAuthError for a page when the id is of no use to this browser.
 */
export async function continueAuthorization(
  services: OAuthServices,
  value: Moment & { requestId: string; visitor: Visitor },
): Promise<AuthorizationStep> {
  const { requestId, visitor, now, random } = value;
  const { browserHash } = visitor;
  return await services.groupCommit.run(async (tx) => {
    const found = await getPendingRequest(tx, services, { requestId, browserHash, now });
    const pending = found.row.browser_hash === null
      ? await bindPendingRequest(tx, services, found, { browserHash, sessionId: null })
      : found;
    const { request, row: { created_at: requestedAt, session_id: asked } } = pending;
    const hold = async (sessionId: string | null): Promise<PendingRequest> => {
      if (sessionId === null || sessionId === asked) return pending;
      if (asked === null) return await bindPendingRequest(tx, services, pending, { browserHash, sessionId });
      await consumePendingRequest(tx, services, pending);
      const holder = { browserHash, sessionId };
      return await storePendingRequest(tx, services, { request, holder, requestedAt, random });
    };
    const step = await redirectingErrors(
      services.issuer,
      () => proceed(tx, services, { request, requestedAt, visitor, now, random }, hold),
    );
    if (step.kind === "redirect") await consumePendingRequest(tx, services, pending);
    return step;
  });
}

/**
 * Whether whoever is signed in must sign in (again) before a pending request goes on. False for an id that is of no use
 * to this browser too: going on says so. Writes nothing.
 */
export async function mustSignInFirst(
  db: Db,
  services: Pick<OAuthServices, "authority">,
  value: { requestId: string; browserHash: string; signedIn: SignedIn; now: Instant },
): Promise<boolean> {
  try {
    const { request, row } = await getPendingRequest(db, services, value);
    return mustSignIn(request, value.signedIn, { requestedAt: row.created_at, now: value.now });
  } catch (error) {
    if (error instanceof OAuthError) return false;
    throw error;
  }
}

/** Where the browser goes after a decision: to the client, or, where another session was asked, to be asked itself. */
export type DecisionStep = Extract<AuthorizationStep, { kind: "redirect" | "continue" }>;

/**
 * The person's answer to the consent page. Only the session that was asked, in the browser that asked, decides, and only
 * once; another session, whose page this is not, is to be asked first, and one that must sign in again. Throws an OAuthError for a page when the id is of
 * no use to this browser, and `invalid_request`, with nothing decided, where keys were asked about and none was chosen.
 */
export async function decideAuthorization(
  services: OAuthServices,
  value: Moment & {
    requestId: string;
    browserHash: string;
    signedIn: SignedIn;
    decision: "approve" | "deny";
    /** What of it the person chose, where keys were asked about. */
    choice: KeyChoice;
  },
): Promise<DecisionStep> {
  const { requestId, signedIn, decision, choice, now, random } = value;
  return await services.groupCommit.run(async (tx) => {
    const pending = await getPendingRequest(tx, services, value);
    if (!isAskedSession(pending, signedIn.session.id)) return { kind: "continue", requestId };
    const { request } = pending;
    if (decision === "deny") {
      await consumePendingRequest(tx, services, pending);
      return { kind: "redirect", uri: await denial(tx, services, { request, signedIn, now }) };
    }
    if (isStaleForKeys(request, signedIn.session.authenticatedAt, now)) {
      return { kind: "continue", requestId };
    }
    const accountId = signedIn.account.id;
    const keyGrant = await grantChoice(tx, services, { request, requestId, choice, accountId, now });
    await consumePendingRequest(tx, services, pending);
    await rememberConsent(tx, services, { ...consentSubject(request, signedIn), keyGrant }, now);
    const uri = await codeUri(tx, services, { request, signedIn, keyGrant, now, random });
    return { kind: "redirect", uri };
  });
}

async function denial(
  tx: Db,
  { vault, issuer }: OAuthServices,
  { request, signedIn, now }: { request: AuthorizationRequest; signedIn: SignedIn; now: Instant },
): Promise<string> {
  await appendAudit(tx, vault, now, {
    event: "authorization_denied",
    accountId: signedIn.account.id,
    subject: request.client.clientId,
    detail: {},
  });
  return authorizationErrorUri(issuer, refusal(request, "access_denied", "The person declined"))!;
}

/** Runs a step; an error that may go back to the client becomes a redirect. */
async function redirectingErrors(
  issuer: string,
  step: () => Promise<AuthorizationStep>,
): Promise<AuthorizationStep> {
  try {
    return await step();
  } catch (error) {
    const uri = error instanceof OAuthError ? authorizationErrorUri(issuer, error) : undefined;
    if (uri === undefined) throw error;
    return { kind: "redirect", uri };
  }
}

function refusal(
  request: AuthorizationRequest,
  code: "login_required" | "consent_required" | "access_denied",
  description: string,
): OAuthError {
  return new OAuthError(code, description, { redirectTo: request });
}

/** The next step for a request; whatever must wait is held by `hold`. Writes nothing when it throws. */
async function proceed(
  tx: Db,
  services: OAuthServices,
  { request, requestedAt, visitor: { signedIn }, now, random }: Moment & {
    request: AuthorizationRequest;
    requestedAt: Instant;
    visitor: Visitor;
  },
  hold: (sessionId: string | null) => Promise<PendingRequest>,
): Promise<AuthorizationStep> {
  const { client, prompt, loginHint, redirectUri, scope } = request;
  if (signedIn === undefined || mustSignIn(request, signedIn, { requestedAt, now })) {
    if (prompt.includes("none")) throw refusal(request, "login_required", "The person must sign in");
    return { kind: "sign_in", requestId: (await hold(null)).row.id, client, loginHint };
  }
  const subject = consentSubject(request, signedIn);
  const mustAsk = prompt.includes("consent") || asksForKeys(request) ||
    !await isConsentRemembered(tx, services.authority, subject);
  if (mustAsk) {
    if (prompt.includes("none")) throw refusal(request, "consent_required", "The person must be asked first");
    const { account } = signedIn;
    const keys = await keyQuestionOf(tx, services, request, account.id);
    const question = { client, target: redirectTargetOf(redirectUri), scope, account, keys };
    return { kind: "consent", requestId: (await hold(signedIn.session.id)).row.id, question };
  }
  // Consent is remembered: without this, every turn of a loop would add a grant and an audit entry.
  await services.limits.take(tx, "authorization_code", signedIn.account.id, now);
  const uri = await codeUri(tx, services, { request, signedIn, keyGrant: undefined, now, random });
  return { kind: "redirect", uri };
}

/**
 * Whether whoever is signed in must sign in (again) for this request. A sign-in after the request satisfies everything
 * but the hint: whoever then is not the one that `id_token_hint` names gets `login_required`, as OpenID Connect Core
 * section 3.1.2.1 asks.
 */
function mustSignIn(
  request: AuthorizationRequest,
  { session, account }: SignedIn,
  { requestedAt, now }: { requestedAt: Instant; now: Instant },
): boolean {
  const { prompt, maxAge, hintedAccountId } = request;
  const isFresh = session.authenticatedAt > requestedAt;
  if (hintedAccountId !== undefined && hintedAccountId !== account.id) {
    if (isFresh) throw refusal(request, "login_required", "Somebody else signed in than id_token_hint names");
    return true;
  }
  if (isStaleForKeys(request, session.authenticatedAt, now)) return true;
  if (isFresh) return false;
  const age = requestedAt - session.authenticatedAt;
  return (maxAge !== undefined && age >= maxAge * SECOND) || prompt.includes("login") ||
    prompt.includes("select_account");
}

function consentSubject(
  { client: { clientId }, redirectUri, scope }: AuthorizationRequest,
  { account }: SignedIn,
): ConsentSubject {
  return { accountId: account.id, clientId, redirectUri, scope };
}

async function codeUri(
  tx: Db,
  services: OAuthServices,
  { request, signedIn, keyGrant, now, random }: Moment & {
    request: AuthorizationRequest;
    signedIn: SignedIn;
    keyGrant: KeyGrant | undefined;
  },
): Promise<string> {
  const { codeChallenge, nonce, dpopJkt } = request;
  const { authenticatedAt } = signedIn.session;
  const bound = { codeChallenge, nonce, dpopJkt, keyGrant, authenticatedAt };
  const subject = { ...consentSubject(request, signedIn), ...bound };
  const code = await issueCode(tx, services, { subject, now, random });
  return authorizationResponseUri(services.issuer, request, { code });
}
