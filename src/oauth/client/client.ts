import type { ClientType, TokenAlgorithm } from "../../db/schema/oauth.ts";
import type { Db } from "../../db/schema/schema.ts";
import { foreignCursor, ProtocolError } from "../../lib/error.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, pageRows } from "../../store/read.ts";
import type { Place } from "../../store/lookups.ts";
import { keyScopesOf } from "../scope.ts";
import type { KeyScope } from "../scope.ts";
import type { RowAuthority } from "../../vault/authority.ts";

/** An application that may ask people to sign in. */
export interface Client {
  /** 26 characters of `[0-9a-v]`: no encoding changes it, and no account's id can look like it (RFC 9700 section 4.15). */
  readonly clientId: string;
  readonly name: string;
  readonly uri: string;
  readonly type: ClientType;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  /** Where it hears that a session is over; undefined for nowhere. */
  readonly backchannelLogoutUri: string | undefined;
  /** Whether it is told which session, each time: false without such a URI. */
  readonly backchannelLogoutSessionRequired: boolean;
  readonly idTokenSignedResponseAlg: TokenAlgorithm;
  readonly disabled: boolean;
  /** Whether a file declares it, which alone changes it then. */
  readonly declared: boolean;
  /** Scopes for keys that it may ask people for. */
  readonly keyScopes: readonly KeyScope[];
  /** Whether its tokens for keys must be bound to a key of its own (RFC 9449); false without such scopes. */
  readonly dpopBoundAccessTokens: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Null exactly for public clients. */
  readonly secretHash: string | null;
  /** The secret before that one, which counts as well until its end; undefined where there is none. */
  readonly previousSecret: { readonly hash: string; readonly expiresAt: Instant } | undefined;
}

/** How clients of each type authenticate (RFC 7591 section 2): by type and nothing else. */
export const AUTHENTICATION_METHODS = {
  web: "client_secret_basic",
  spa: "none",
  native: "none",
} as const satisfies Record<ClientType, string>;

/** What a row says. */
export function toClient(row: Authentic<"client">): Client {
  return {
    clientId: row.id,
    name: row.name,
    uri: row.uri,
    type: row.type,
    redirectUris: JSON.parse(row.redirect_uris),
    postLogoutRedirectUris: JSON.parse(row.post_logout_redirect_uris),
    backchannelLogoutUri: row.backchannel_logout_uri ?? undefined,
    backchannelLogoutSessionRequired: row.backchannel_logout_session === 1,
    idTokenSignedResponseAlg: row.id_token_alg,
    disabled: row.disabled === 1,
    declared: row.declared === 1,
    keyScopes: keyScopesOf(row.key_scopes ?? ""),
    dpopBoundAccessTokens: row.dpop_bound === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    secretHash: row.secret_hash,
    previousSecret: row.previous_secret_hash === null
      ? undefined
      : { hash: row.previous_secret_hash, expiresAt: row.previous_secret_expires_at! },
  };
}

async function findClientRow(
  db: Db,
  authority: RowAuthority,
  clientId: string,
): Promise<Authentic<"client"> | undefined> {
  if (!/^[0-9a-v]{26}$/.test(clientId)) return undefined;
  return await findRow(db, authority, "client", "byId", { id: clientId });
}

/** The client of that id, also a disabled one; undefined when there is none or its row is not authentic. */
export async function findClient(
  db: Db,
  authority: RowAuthority,
  clientId: string,
): Promise<Client | undefined> {
  const row = await findClientRow(db, authority, clientId);
  return row === undefined ? undefined : toClient(row);
}

/** The row of that client, for its administrator: throws `not_found`. */
export async function getClientRow(
  db: Db,
  authority: RowAuthority,
  clientId: string,
): Promise<Authentic<"client">> {
  const row = await findClientRow(db, authority, clientId);
  if (row === undefined) throw new ProtocolError("not_found", "There is no such client");
  return row;
}

/** The client of that id, for its administrator: throws `not_found`. */
export async function getClient(db: Db, authority: RowAuthority, clientId: string): Promise<Client> {
  return toClient(await getClientRow(db, authority, clientId));
}

/** A page of the clients, oldest first, and where the next one starts (for `after`). */
export async function listClients(
  db: Db,
  authority: RowAuthority,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ clients: Client[]; next: string | undefined }> {
  const place = { after: after === undefined ? undefined : readPosition(after), limit: limit + 1 };
  const rows = await pageRows(db, authority, "client", "all", {}, place);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    clients: page.map(toClient),
    next: last === undefined ? undefined : `${last.created_at}.${last.id}`,
  };
}

function readPosition(text: string): Place<"client", "all"> {
  const match = /^(\d{1,15})\.([0-9a-v]{26})$/.exec(text);
  if (match !== null) return { created_at: Number(match[1]), id: match[2]! };
  throw foreignCursor();
}
