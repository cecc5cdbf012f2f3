import { isSessionThere } from "../../accounts/session/session.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { appendAudit } from "../../audit/log.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { Instant } from "../../lib/time.ts";
import { widen } from "../../lib/ip-address.ts";
import { readAuthorizationRequest } from "./authorization-request.ts";
import type { AuthorizationRequest, ReceivedAuthorizationRequest } from "./authorization-request.ts";
import { authorizationErrorUri } from "./authorization-response.ts";
import { rememberConsent } from "./consent.ts";
import { OAuthError } from "../error.ts";
import {
  bindPendingRequest,
  consumePendingRequest,
  getPendingRequest,
  isAskedSession,
  storePendingRequest,
} from "./pending-request.ts";
import type { PendingRequest } from "./pending-request.ts";
import { codeUri, consentSubject, mustSignIn, proceed, refusal } from "./authorization-step.ts";
import type { AuthorizationStep, Moment, Visitor } from "./authorization-step.ts";
import { grantChoice, isStaleForKeys } from "./key-choice.ts";
import type { KeyChoice } from "./key-choice.ts";
import type { OAuthServices } from "../services.ts";

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
    const step = await authorizeAtOnce(services, value, request);
    if (step !== undefined) return step;
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

/** Why a request does not go on at once. */
const MUST_WAIT = new Error("Cannot answer at once: a person is to be asked");

/**
 * The step of a request for which nobody is asked anything: it writes nothing but the account's rows. Undefined, with
 * nothing written, where something has to wait for a person.
 */
async function authorizeAtOnce(
  services: OAuthServices,
  { visitor, now, random }: Moment & { visitor: Visitor | undefined },
  request: AuthorizationRequest,
): Promise<AuthorizationStep | undefined> {
  if (visitor?.signedIn === undefined) return undefined;
  const accountId = visitor.signedIn.account.id;
  const going = { request, requestedAt: now, visitor, now, random };
  try {
    return await services.groupCommit.run(
      (tx) => proceed(tx, services, going, () => Promise.reject(MUST_WAIT)),
      { accountId },
    );
  } catch (error) {
    if (error === MUST_WAIT) return undefined;
    throw error;
  }
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
 * The person's answer to the consent page. Only the session that was asked, in the browser that asked, decides, and
 * only once; another session, whose page this is not, is to be asked first, and one that must sign in again. Throws an
 * OAuthError for a page when the id is of no use to this browser, and `invalid_request`, with nothing decided, where
 * keys were asked about and none was chosen.
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
    const isAsked = isAskedSession(pending, signedIn.session.id);
    if (!isAsked || !await isSessionThere(tx, services.authority, signedIn.session)) {
      return { kind: "continue", requestId };
    }
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
