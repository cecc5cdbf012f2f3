import { isSidOf } from "../accounts/session/application-session.ts";
import type { SignedIn } from "../accounts/session/session.ts";
import type { Db } from "../db/schema/schema.ts";
import { newId, type RandomBytes } from "../lib/id.ts";
import { HOUR, type Instant } from "../lib/time.ts";
import { widen } from "../lib/ip-address.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import { consumeRow, insertRow } from "../store/write.ts";
import { appendQuery } from "./authorize/authorization-response.ts";
import { type Client, findClient } from "./client/client.ts";
import { readIdTokenHint } from "./token/id-token.ts";
import { findParameter, type OAuthParameters } from "./parameters.ts";
import type { OAuthServices } from "./services.ts";
import { limitPendingRequests } from "./pending-request-limit.ts";

const LOGOUT_REQUEST_LIFETIME = HOUR;
const LONGEST_STATE = 2048;
/** Rejects ids that the service did not issue. SQLite does not accept a NUL in a parameter. */
const REQUEST_ID = /^logout_[0-9a-v]{26}$/;

/** A client's logout request (OpenID Connect RP-Initiated Logout 1.0 section 2). */
export interface LogoutRequest {
  /** The enabled client of a valid `id_token_hint`, if any. */
  readonly client: Client | undefined;
  readonly hintedSid: string | undefined;
  /** A URI that this client registered for logout. */
  readonly postLogoutRedirectUri: string | undefined;
  readonly state: string | undefined;
}

/**
 * Parses a logout request. Never throws for invalid parameters, because signing out must always work. Redirects only
 * for a valid or expired `id_token_hint` whose client registered exactly that URI, so that no link becomes an open
 * redirector.
 */
export async function readLogoutRequest(
  db: Db,
  services: Pick<OAuthServices, "authority" | "issuer">,
  { parameters, repeated, now }: {
    parameters: OAuthParameters;
    repeated: ReadonlySet<string>;
    now: Instant;
  },
): Promise<LogoutRequest> {
  const find = (name: string): string | undefined =>
    repeated.has(name) ? undefined : findParameter(parameters, name);
  const hint = find("id_token_hint");
  const named = hint === undefined ? undefined : await readIdTokenHint(db, services, { hint, now });
  const clientId = find("client_id") ?? named?.clientId;
  const isConsistent = named !== undefined && named.clientId === clientId && !repeated.has("client_id");
  const client = isConsistent ? await findEnabledClient(db, services.authority, named.clientId) : undefined;
  const state = find("state");
  return toLogoutRequest({
    client,
    hintedSid: client === undefined ? undefined : named?.sid,
    postLogoutRedirectUri: find("post_logout_redirect_uri"),
    state: state !== undefined && (state.length > LONGEST_STATE || state.includes("\0")) ? undefined : state,
  });
}

/** Ignores a disabled client: the service does not redirect to it, and its tokens sign no user out. */
async function findEnabledClient(
  db: Db,
  authority: OAuthServices["authority"],
  clientId: string,
): Promise<Client | undefined> {
  const client = await findClient(db, authority, clientId);
  return client?.disabled === false ? client : undefined;
}

/** Removes a redirect URI that the client did not register. */
function toLogoutRequest(request: LogoutRequest): LogoutRequest {
  const { client, postLogoutRedirectUri: uri } = request;
  const isRegistered = uri !== undefined && client?.postLogoutRedirectUris.includes(uri) === true;
  return { ...request, postLogoutRedirectUri: isRegistered ? uri : undefined };
}

/**
 * Returns true if the user must confirm: a session exists and the request has no ID token of that session (section
 * 2). An ID token of another session does not suffice, because every client that the user ever signed in to has one.
 */
export async function mustConfirmLogout(
  db: Db,
  { authority }: Pick<OAuthServices, "authority">,
  { client, hintedSid }: LogoutRequest,
  signedIn: SignedIn | undefined,
): Promise<boolean> {
  if (signedIn === undefined) return false;
  if (client === undefined || hintedSid === undefined) return true;
  const { session: { id: sessionId } } = signedIn;
  return !await isSidOf(db, authority, { sid: hintedSid, sessionId, clientId: client.clientId });
}

/** Returns the redirect after signing out. Undefined for the service's own page. */
export function logoutRedirectUri({ postLogoutRedirectUri, state }: LogoutRequest): string | undefined {
  if (postLogoutRedirectUri === undefined || state === undefined) return postLogoutRedirectUri;
  return appendQuery(postLogoutRedirectUri, { state });
}

/** Stores a logout request for an hour until the user confirms it, and returns its id. Throws `rate_limited`. */
export async function storeLogoutRequest(
  { authority, limits, groupCommit }: OAuthServices,
  { request, network, now, random }: {
    request: LogoutRequest;
    network: string;
    now: Instant;
    random: RandomBytes;
  },
): Promise<string> {
  const row = {
    id: newId("logout", random),
    client_id: request.client?.clientId ?? null,
    hinted_sid: request.hintedSid ?? null,
    redirect_uri: request.postLogoutRedirectUri ?? null,
    state: request.state ?? null,
    created_at: now,
    expires_at: now + LOGOUT_REQUEST_LIFETIME,
  };
  await groupCommit.run(async (tx) => {
    await limits.take(tx, "authorization_request", network, now);
    await limits.take(tx, "authorization_request_site", widen(network, "site"), now);
    await insertRow(tx, authority, "logout_request", row);
    await limitPendingRequests(tx, "logout_request", random);
  });
  return row.id;
}

/** Returns undefined if not found or expired. */
export async function findLogoutRequest(
  db: Db,
  { authority }: Pick<OAuthServices, "authority">,
  { requestId, now }: { requestId: string; now: Instant },
): Promise<LogoutRequest | undefined> {
  if (!REQUEST_ID.test(requestId)) return undefined;
  const row = await findRow(db, authority, "logout_request", "byId", { id: requestId });
  return row === undefined ? undefined : await readRow(db, authority, row, now);
}

/** Deletes a stored logout request in one statement and returns it. Returns undefined if not found or expired. */
export async function consumeLogoutRequest(
  db: Db,
  { authority }: Pick<OAuthServices, "authority">,
  { requestId, now }: { requestId: string; now: Instant },
): Promise<LogoutRequest | undefined> {
  if (!REQUEST_ID.test(requestId)) return undefined;
  const row = await consumeRow(db, authority, "logout_request", "byId", { id: requestId });
  return row === undefined ? undefined : await readRow(db, authority, row, now);
}

async function readRow(
  db: Db,
  authority: OAuthServices["authority"],
  row: Authentic<"logout_request">,
  now: Instant,
): Promise<LogoutRequest | undefined> {
  if (row.expires_at <= now) return undefined;
  const client = row.client_id === null ? undefined : await findEnabledClient(db, authority, row.client_id);
  return toLogoutRequest({
    client,
    hintedSid: client === undefined ? undefined : row.hinted_sid ?? undefined,
    postLogoutRedirectUri: row.redirect_uri ?? undefined,
    state: row.state ?? undefined,
  });
}
