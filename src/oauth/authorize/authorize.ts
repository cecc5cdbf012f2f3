import { isSessionThere, type SignedIn } from "../../accounts/session/session.ts";
import { appendAudit } from "../../audit/log.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { Instant } from "../../lib/time.ts";
import { widen } from "../../lib/ip-address.ts";
import { readAuthorizationRequest } from "./authorization-request.ts";
import type { AuthorizationRequest, ReceivedAuthorizationRequest } from "./authorization-request.ts";
import { mayUseClient } from "../client/client-access.ts";
import { authorizationErrorUri } from "./authorization-response.ts";
import { storeDocumentedClient } from "../client/document-client.ts";
import { recordConsent } from "./consent.ts";
import { OAuthError } from "../error.ts";
import {
  bindPendingRequest,
  consumePendingRequest,
  getPendingRequest,
  isAskedSession,
  storePendingRequest,
} from "./pending-request.ts";
import type { PendingRequest } from "./pending-request.ts";
import { findPushedParameters, pushedRowKeys, requirePushed } from "./pushed-request.ts";
import { codeUri, consentSubject, mustSignIn, proceed, refusal } from "./authorization-step.ts";
import type { AuthorizationStep, OperationContext, Visitor } from "./authorization-step.ts";
import { chooseWallets, grantChoice, isStaleForKeys, type KeyChoice } from "./key-choice.ts";
import { redirectTargetOf } from "../client/redirect-uri.ts";
import type { OAuthServices } from "../services.ts";

/**
 * Handles an authorization request (OpenID Connect Core section 3.1.2) and returns the next step. Faults that the
 * client may see become a `redirect`; a thrown OAuthError becomes a page. `visitor` is undefined if no cookie was
 * read (POST). Throws `rate_limited`. `db` must be the outer handle.
 */
export async function authorize(
  db: Db,
  services: OAuthServices,
  value:
    & ReceivedAuthorizationRequest
    & OperationContext
    & { visitor: Visitor | undefined; network: string; traceparent?: string | undefined },
): Promise<AuthorizationStep> {
  const { visitor, network, now, random, traceparent } = value;
  return await redirectingErrors(services.issuer, async () => {
    const received = { ...await findPushedParameters(db, services, value), network, now, traceparent };
    const request = await readAuthorizationRequest(db, services, received);
    requirePushed(request);
    const step = await authorizeAtOnce(services, value, request);
    if (step !== undefined) return step;
    return await services.groupCommit.run(async (tx) => {
      const store = async (sessionId: string | null): Promise<PendingRequest> => {
        await services.limits.take(tx, "authorization_request", network, now);
        await services.limits.take(tx, "authorization_request_site", widen(network, "site"), now);
        const binding = { browserHash: visitor?.browserHash ?? null, sessionId };
        return await storePendingRequest(tx, services, { request, binding, requestedAt: now, random });
      };
      if (visitor !== undefined) {
        return await proceed(tx, services, { request, requestedAt: now, visitor, now, random }, store);
      }
      return { kind: "continue", requestId: (await store(null)).row.id };
    });
  });
}

const MUST_WAIT = new Error("Cannot answer at once: the user must be asked");

/** Returns undefined, without writing, if the request must wait for the user. Writes only rows of the account. */
async function authorizeAtOnce(
  services: OAuthServices,
  { visitor, now, random }: OperationContext & { visitor: Visitor | undefined },
  request: AuthorizationRequest,
): Promise<AuthorizationStep | undefined> {
  if (visitor?.signedIn === undefined) return undefined;
  const accountId = visitor.signedIn.account.id;
  const going = { request, requestedAt: now, visitor, now, random };
  try {
    return await services.groupCommit.run(
      (tx) => proceed(tx, services, going, () => Promise.reject(MUST_WAIT)),
      { accountId, extraKeys: pushedRowKeys(request) },
    );
  } catch (error) {
    if (error === MUST_WAIT) return undefined;
    throw error;
  }
}

/**
 * Continues a pending request: after POST, after sign-in, or when its page is opened again. If another session was
 * asked, stores the request under a new id, so that an open page of that session decides nothing. Throws an
 * OAuthError for a page if the browser may not use the id.
 */
export async function continueAuthorization(
  services: OAuthServices,
  value: OperationContext & { requestId: string; visitor: Visitor },
): Promise<AuthorizationStep> {
  const { requestId, visitor, now, random } = value;
  const { browserHash } = visitor;
  return await services.groupCommit.run(async (tx) => {
    const found = await getPendingRequest(tx, services, { requestId, browserHash, now });
    const pending = found.row.browser_hash === null
      ? await bindPendingRequest(tx, services, found, { browserHash, sessionId: null })
      : found;
    const { request, row: { created_at: requestedAt, session_id: requestedSessionId } } = pending;
    const storePending = async (sessionId: string | null): Promise<PendingRequest> => {
      if (sessionId === null || sessionId === requestedSessionId) return pending;
      if (requestedSessionId === null) {
        return await bindPendingRequest(tx, services, pending, { browserHash, sessionId });
      }
      await consumePendingRequest(tx, services, pending);
      const binding = { browserHash, sessionId };
      return await storePendingRequest(tx, services, { request, binding, requestedAt, random });
    };
    const step = await redirectingErrors(
      services.issuer,
      () => proceed(tx, services, { request, requestedAt, visitor, now, random }, storePending),
    );
    if (step.kind === "redirect") await consumePendingRequest(tx, services, pending);
    return step;
  });
}

/**
 * Returns true if the user must sign in (again) before a pending request continues. Returns false for an id that the
 * browser may not use: `continueAuthorization` throws for it. Writes nothing.
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

/** The step after a decision: a redirect to the client, or to ask a session that was not asked. */
export type DecisionStep = Extract<AuthorizationStep, { kind: "redirect" | "continue" }>;

/**
 * Applies the user's decision on the consent page, once, for the session and browser that were asked. Another session
 * must be asked first, and a stale one must sign in again. Throws an OAuthError for a page if the browser may not use
 * the id. Throws, without a decision, `invalid_request` if the request involves keys and none was selected, and
 * `recently_recovered` if it involves keys during the cooldown of a recovery.
 */
export async function decideAuthorization(
  services: OAuthServices,
  value: OperationContext & {
    requestId: string;
    browserHash: string;
    signedIn: SignedIn;
    decision: "approve" | "deny";
    choice: KeyChoice;
  },
): Promise<DecisionStep> {
  const { requestId, signedIn, decision, choice, now, random } = value;
  return await services.groupCommit.run(async (tx) => {
    const pending = await getPendingRequest(tx, services, value);
    const isAsked = isAskedSession(pending, signedIn.session.id);
    if (!isAsked || !await isSessionThere(tx, services.authority, signedIn.session)) {
      return { kind: "continue", requestId };
    }
    const { request } = pending;
    if (decision === "deny") {
      await consumePendingRequest(tx, services, pending);
      return { kind: "redirect", uri: await denial(tx, services, { request, signedIn, now }) };
    }
    const mayUse = await mayUseClient(tx, services.authority, request.client, signedIn.account.id);
    if (!mayUse || isStaleForKeys(request, signedIn.session.authenticatedAt, now)) {
      return { kind: "continue", requestId };
    }
    const accountId = signedIn.account.id;
    const { client } = request;
    const keyGrant = await grantChoice(tx, services, { request, requestId, choice, accountId, client, now });
    const wallets = await chooseWallets(tx, services, { request, requestId, choice, accountId });
    await consumePendingRequest(tx, services, pending);
    await storeDocumentedClient(tx, services, request.client, now);
    const redirectTarget = redirectTargetOf(request.redirectUri).text;
    const consent = { ...consentSubject(request, signedIn), redirectTarget, keyGrant, wallets };
    await recordConsent(tx, services, consent, now);
    const uri = await codeUri(tx, services, { request, signedIn, keyGrant, wallets, now, random });
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
  return authorizationErrorUri(issuer, refusal(request, "access_denied", "The user declined"))!;
}

/** Runs a step. Converts an error that the client may see to a redirect. */
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
