import { isSidOf } from "../accounts/session/application-session.ts";
import type { SignedIn } from "../accounts/session/session.ts";
import type { Db } from "../db/schema/schema.ts";
import { newId } from "../lib/id.ts";
import type { RandomBytes } from "../lib/id.ts";
import { HOUR } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import { widen } from "../lib/ip-address.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow } from "../store/read.ts";
import { insertRow, takeRow } from "../store/write.ts";
import { appendQuery } from "./authorize/authorization-response.ts";
import { findClient } from "./client/client.ts";
import type { Client } from "./client/client.ts";
import { readIdTokenHint } from "./token/id-token.ts";
import { findParameter } from "./parameters.ts";
import type { OAuthParameters } from "./parameters.ts";
import type { OAuthServices } from "./services.ts";
import { boundWaiting } from "./pending-request-limit.ts";

const LOGOUT_REQUEST_LIFETIME = HOUR;
const LONGEST_STATE = 2048;
/** Whatever else comes as an id was not made here; SQLite would not even take a NUL. */
const REQUEST_ID = /^logout_[0-9a-v]{26}$/;

/** An application's wish that the person signs out (OpenID Connect RP-Initiated Logout 1.0 section 2). */
export interface LogoutRequest {
  /** The enabled client of a valid `id_token_hint`; undefined without one. */
  readonly client: Client | undefined;
  /** The session that the ID token was issued in, by the name that this client has for it. */
  readonly hintedSid: string | undefined;
  /** A URI that this client registered for it. */
  readonly postLogoutRedirectUri: string | undefined;
  readonly state: string | undefined;
}

/**
 * Reads a logout request. Never refuses: signing out must work whatever an application sends. There is a way back only
 * for a valid `id_token_hint` (an expired one will do) whose client registered exactly that URI, so that nobody's link
 * becomes an open redirector.
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

/** A client that was switched off speaks for nobody: nothing leads to its addresses, and its tokens sign nobody out. */
async function findEnabledClient(
  db: Db,
  authority: OAuthServices["authority"],
  clientId: string,
): Promise<Client | undefined> {
  const client = await findClient(db, authority, clientId);
  return client?.disabled === false ? client : undefined;
}

/** The request without a way back that its client did not register. */
function toLogoutRequest(request: LogoutRequest): LogoutRequest {
  const { client, postLogoutRedirectUri: uri } = request;
  const isRegistered = uri !== undefined && client?.postLogoutRedirectUris.includes(uri) === true;
  return { ...request, postLogoutRedirectUri: isRegistered ? uri : undefined };
}

/**
 * Whether the person must confirm: somebody is signed in, and no ID token of that session came with the request (section
 * 2). One of another session of theirs, or of one that is long over, is in the hands of everybody they ever signed in to.
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

/** Where the browser goes after signing out; undefined for our own page. */
export function logoutRedirectUri({ postLogoutRedirectUri, state }: LogoutRequest): string | undefined {
  if (postLogoutRedirectUri === undefined || state === undefined) return postLogoutRedirectUri;
  return appendQuery(postLogoutRedirectUri, { state });
}

/** Keeps a logout request for an hour, for the person to confirm, and answers its id. Throws `rate_limited`. */
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
    await boundWaiting(tx, "logout_request", random);
  });
  return row.id;
}

/** A kept logout request; undefined when there is none (any more). */
export async function findLogoutRequest(
  db: Db,
  { authority }: Pick<OAuthServices, "authority">,
  { requestId, now }: { requestId: string; now: Instant },
): Promise<LogoutRequest | undefined> {
  if (!REQUEST_ID.test(requestId)) return undefined;
  const row = await findRow(db, authority, "logout_request", "byId", { id: requestId });
  return row === undefined ? undefined : await readRow(db, authority, row, now);
}

/** Takes a kept logout request away, by one statement; undefined when there is none (any more). */
export async function consumeLogoutRequest(
  db: Db,
  { authority }: Pick<OAuthServices, "authority">,
  { requestId, now }: { requestId: string; now: Instant },
): Promise<LogoutRequest | undefined> {
  if (!REQUEST_ID.test(requestId)) return undefined;
  const row = await takeRow(db, authority, "logout_request", "byId", { id: requestId });
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
