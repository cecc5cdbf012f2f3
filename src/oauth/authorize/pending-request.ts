import { PENDING_REQUEST_LIFETIME } from "../../db/retention.ts";
import type { Db } from "../../db/schema/schema.ts";
import { newId, type RandomBytes } from "../../lib/id.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow } from "../../store/read.ts";
import { consumeRow, insertRow, replaceIfUnchanged } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { AuthorizationRequest, Prompt } from "./authorization-request.ts";
import type { ClientDocument } from "../client/client-document.ts";
import { type Client, documentedClient, findClient } from "../client/client.ts";
import { OAuthError } from "../error.ts";
import { isRegisteredRedirectUri } from "../client/redirect-uri.ts";
import type { OAuthServices } from "../services.ts";
import { limitPendingRequests } from "../pending-request-limit.ts";

/** Rejects ids that the service did not issue. SQLite does not accept a NUL in a parameter. */
const REQUEST_ID = /^request_[0-9a-v]{26}$/;

export interface PendingRequest {
  readonly row: Authentic<"authorization_request">;
  readonly request: AuthorizationRequest;
}

/** The browser and session that may continue a pending request. */
export interface PendingRequestBinding {
  /** Hash of the browser's secret. Null for a request that came without cookies. */
  readonly browserHash: string | null;
  /** The session that is asked for consent. */
  readonly sessionId: string | null;
}

/** Returns the same error for every id that is unknown, used, expired or bound to another browser. */
function noLongerValid(): OAuthError {
  return new OAuthError(
    "invalid_request",
    "This sign-in was finished or has expired: return to the application and begin again",
  );
}

export async function storePendingRequest(
  tx: Db,
  { authority }: Pick<OAuthServices, "authority">,
  { request, binding, requestedAt, random }: {
    request: AuthorizationRequest;
    binding: PendingRequestBinding;
    requestedAt: Instant;
    random: RandomBytes;
  },
): Promise<PendingRequest> {
  const row = await insertRow(tx, authority, "authorization_request", {
    id: newId("request", random),
    client_id: request.client.clientId,
    redirect_uri: request.redirectUri,
    scope: request.scope,
    claims: request.claims,
    state: request.state ?? null,
    nonce: request.nonce ?? null,
    code_challenge: request.codeChallenge,
    prompt: request.prompt.join(" "),
    max_age: request.maxAge ?? null,
    login_hint: request.loginHint ?? null,
    hinted_account_id: request.hintedAccountId ?? null,
    dpop_jkt: request.dpopJkt ?? null,
    policy: request.policy ?? null,
    pushed_request_id: request.pushedRequestId ?? null,
    resource: request.resource,
    client_document: request.client.document === undefined ? null : JSON.stringify(request.client.document),
    browser_hash: binding.browserHash,
    session_id: binding.sessionId,
    created_at: requestedAt,
    expires_at: requestedAt + PENDING_REQUEST_LIFETIME,
  });
  await limitPendingRequests(tx, "authorization_request", random);
  return { row, request };
}

/**
 * Returns the pending request if this browser may continue it and its client is enabled with the same redirect URI.
 * Throws an OAuthError without a redirect. Does not change a request of another browser.
 */
export async function getPendingRequest(
  db: Db,
  { authority }: Pick<OAuthServices, "authority">,
  { requestId, browserHash, now }: { requestId: string; browserHash: string; now: Instant },
): Promise<PendingRequest> {
  if (!REQUEST_ID.test(requestId)) throw noLongerValid();
  const row = await findRow(db, authority, "authorization_request", "byId", { id: requestId });
  if (row === undefined || row.expires_at <= now) throw noLongerValid();
  if (row.browser_hash !== null && row.browser_hash !== browserHash) throw noLongerValid();
  const client = await findRequestingClient(db, authority, row);
  if (client === undefined || client.disabled || !isRegisteredRedirectUri(client, row.redirect_uri)) {
    throw noLongerValid();
  }
  const request = {
    client,
    redirectUri: row.redirect_uri,
    scope: row.scope,
    claims: row.claims,
    state: row.state ?? undefined,
    nonce: row.nonce ?? undefined,
    codeChallenge: row.code_challenge,
    prompt: row.prompt.split(" ").filter((value) => value !== "") as Prompt[],
    maxAge: row.max_age ?? undefined,
    loginHint: row.login_hint ?? undefined,
    hintedAccountId: row.hinted_account_id ?? undefined,
    dpopJkt: row.dpop_jkt ?? undefined,
    policy: row.policy ?? undefined,
    pushedRequestId: row.pushed_request_id ?? undefined,
    resource: row.resource,
  };
  return { row, request };
}

/** Returns a registered client, or the one that its document described at the time of the request. */
async function findRequestingClient(
  db: Db,
  authority: RowAuthority,
  { client_id: clientId, client_document: document }: PendingRequest["row"],
): Promise<Client | undefined> {
  const stored = await findClient(db, authority, clientId);
  if (document === null) return stored;
  const { disabled = false, createdAt = 0 } = stored ?? {};
  return { ...documentedClient(clientId, JSON.parse(document) as ClientDocument), disabled, createdAt };
}

/** Binds a pending request by compare-and-set. Throws like `getPendingRequest` if it is gone. */
export async function bindPendingRequest(
  tx: Db,
  { authority }: Pick<OAuthServices, "authority">,
  { row, request }: PendingRequest,
  { browserHash, sessionId }: PendingRequestBinding,
): Promise<PendingRequest> {
  const change = { browser_hash: browserHash, session_id: sessionId };
  const bound = await replaceIfUnchanged(tx, authority, "authorization_request", row, change);
  if (bound === undefined) throw noLongerValid();
  return { row: bound, request };
}

/** Deletes a pending request in one statement. Throws like `getPendingRequest` if it is gone. */
export async function consumePendingRequest(
  tx: Db,
  { authority }: Pick<OAuthServices, "authority">,
  { row: { id } }: PendingRequest,
): Promise<void> {
  const consumed = await consumeRow(tx, authority, "authorization_request", "byId", { id });
  if (consumed === undefined) throw noLongerValid();
}

export function isAskedSession({ row }: PendingRequest, sessionId: string): boolean {
  return row.session_id === sessionId;
}
