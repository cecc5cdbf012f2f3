import type { ClientType, TokenAlgorithm } from "../../db/schema/oauth.ts";
import { engineState } from "../../db/engine-state.ts";
import type { Db } from "../../db/schema/schema.ts";
import { foreignCursor, ProtocolError } from "../../lib/error.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, pageRows } from "../../store/read.ts";
import type { Place } from "../../store/lookups.ts";
import {
  CLAIM_SCOPES,
  type ClaimScope,
  claimScopesOf,
  KEY_SCOPES,
  type KeyScope,
  keyScopesOf,
} from "../scope.ts";
import type { ClientDocument } from "./client-document.ts";
import type { ClientKeys } from "./client-keys.ts";
import { isDocumentId } from "./document-url.ts";
import type { RowAuthority } from "../../vault/authority.ts";

export interface Client {
  /**
   * A registered one has 26 characters of `[0-9a-v]`: no encoding changes them, and no account id looks alike (RFC 9700
   * section 4.15). Otherwise the URL of the document that describes the client.
   */
  readonly clientId: string;
  readonly name: string;
  readonly uri: string;
  readonly type: ClientType;
  /** The document at its `clientId` that describes it. Undefined for a registered client, and for a stored copy. */
  readonly document?: ClientDocument;
  readonly tokenEndpointAuthMethod: AuthenticationMethod;
  /** The keys that it authenticates with by `private_key_jwt`. */
  readonly keys: ClientKeys | undefined;
  readonly redirectUris: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  readonly backchannelLogoutUri: string | undefined;
  /** True if each logout token must name the session. False without a logout URI. */
  readonly backchannelLogoutSessionRequired: boolean;
  readonly idTokenSignedResponseAlg: TokenAlgorithm;
  /** True if every authorization request must be pushed (RFC 9126 section 6). */
  readonly requirePushedAuthorizationRequests: boolean;
  /** True if it may use the device authorization grant (RFC 8628). */
  readonly deviceGrant: boolean;
  readonly disabled: boolean;
  /** True if a file declares the client. Then only the file can change it. */
  readonly declared: boolean;
  readonly keyScopes: readonly KeyScope[];
  /** The scopes of claims that it may request. Empty: it gets the usual claims with `openid`. */
  readonly claimScopes: readonly ClaimScope[];
  /** Ids of the groups whose members may use it, also of deleted groups. Null for every account. */
  readonly groups: readonly string[] | null;
  /** True if access tokens for keys must be bound to a key of the client (RFC 9449). False without key scopes. */
  readonly dpopBoundAccessTokens: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Null unless the client authenticates by a secret. */
  readonly secretHash: string | null;
  readonly previousSecret: { readonly hash: string; readonly expiresAt: Instant } | undefined;
}

/** The authentication methods that a client of each type may register, the default first (RFC 7591 section 2). */
export const AUTHENTICATION_METHODS = {
  web: ["client_secret_basic", "private_key_jwt"],
  spa: ["none"],
  native: ["none"],
} as const satisfies Record<ClientType, readonly string[]>;

export type AuthenticationMethod = (typeof AUTHENTICATION_METHODS)[ClientType][number];

/** Returns true for a client that its `client_id` alone identifies. */
export function isPublicClient(
  { tokenEndpointAuthMethod }: Pick<Client, "tokenEndpointAuthMethod">,
): boolean {
  return tokenEndpointAuthMethod === "none";
}

/** Returns the host of the client's registered home page, in lower case and with a port that is not the default. */
export function siteOf({ uri }: Pick<Client, "uri">): string {
  return new URL(uri).host;
}

export function toClient(row: Authentic<"client">): Client {
  return {
    clientId: row.id,
    name: row.name,
    uri: row.uri,
    type: row.type,
    tokenEndpointAuthMethod: row.auth_method ?? AUTHENTICATION_METHODS[row.type][0],
    keys: row.jwks_uri === null
      ? row.jwks === null ? undefined : { jwks: JSON.parse(row.jwks) }
      : { jwksUri: row.jwks_uri },
    redirectUris: JSON.parse(row.redirect_uris),
    postLogoutRedirectUris: JSON.parse(row.post_logout_redirect_uris),
    backchannelLogoutUri: row.backchannel_logout_uri ?? undefined,
    backchannelLogoutSessionRequired: row.backchannel_logout_session === 1,
    idTokenSignedResponseAlg: row.id_token_alg,
    requirePushedAuthorizationRequests: row.require_pushed === 1,
    deviceGrant: row.device_grant === 1,
    disabled: row.disabled === 1,
    declared: row.declared === 1,
    keyScopes: keyScopesOf(row.key_scopes ?? ""),
    claimScopes: claimScopesOf(row.claim_scopes ?? ""),
    groups: row.groups === null ? null : JSON.parse(row.groups) as string[],
    dpopBoundAccessTokens: row.dpop_bound === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    secretHash: row.secret_hash,
    previousSecret: row.previous_secret_hash === null
      ? undefined
      : { hash: row.previous_secret_hash, expiresAt: row.previous_secret_expires_at! },
  };
}

/** Returns the client that a document describes. Its home page is the document's origin, which is not its own claim. */
export function documentedClient(url: string, document: ClientDocument): Client {
  return {
    clientId: url,
    document,
    name: document.name,
    uri: `${new URL(url).origin}/`,
    type: "native",
    tokenEndpointAuthMethod: document.keys === undefined ? "none" : "private_key_jwt",
    keys: document.keys,
    redirectUris: document.redirectUris,
    postLogoutRedirectUris: [],
    backchannelLogoutUri: undefined,
    backchannelLogoutSessionRequired: false,
    requirePushedAuthorizationRequests: false,
    deviceGrant: false,
    idTokenSignedResponseAlg: "ES256",
    disabled: false,
    declared: false,
    keyScopes: KEY_SCOPES,
    claimScopes: CLAIM_SCOPES,
    groups: null,
    dpopBoundAccessTokens: false,
    createdAt: 0,
    updatedAt: 0,
    secretHash: null,
    previousSecret: undefined,
  };
}

/** Returns undefined if not found or if the row is not authentic. */
export async function findClientRow(
  db: Db,
  authority: RowAuthority,
  clientId: string,
): Promise<Authentic<"client"> | undefined> {
  if (!isDocumentId(clientId) && !/^[0-9a-v]{26}$/.test(clientId)) return undefined;
  return await findRow(db, authority, "client", "byId", { id: clientId });
}

/** The clients that a file declares, as this process applied it at its start. */
export interface AppliedDeclarations {
  readonly at: Instant;
  /** The ids of those that are stored as the file says. */
  readonly applied: ReadonlySet<string>;
  /** The ids of those that could not be changed, because their rows do not add up. */
  readonly failed: ReadonlySet<string>;
}

const DECLARATIONS = Symbol("applied declarations");

/** Returns what this process applied; without a member unless there is a file. */
export function declarationsOf(db: Db): { known?: AppliedDeclarations } {
  return engineState(db, DECLARATIONS, () => ({}));
}

/**
 * Returns true for a client that the start should have changed, and whose row was hidden or edited then. It would
 * otherwise keep its secret or access until the next start.
 */
function isOutdated(db: Db, { id, declared, updated_at: updatedAt }: Authentic<"client">): boolean {
  const { known } = declarationsOf(db);
  if (known === undefined) return false;
  return known.failed.has(id) || (declared === 1 && updatedAt < known.at && !known.applied.has(id));
}

/**
 * Returns disabled clients too. One that could not be changed as the declaring file says counts as disabled. Returns
 * undefined if not found or if the row is not authentic.
 */
export async function findClient(
  db: Db,
  authority: RowAuthority,
  clientId: string,
): Promise<Client | undefined> {
  const row = await findClientRow(db, authority, clientId);
  if (row === undefined) return undefined;
  const client = toKnownClient(row);
  return isOutdated(db, row) ? { ...client, disabled: true } : client;
}

/** The clients of rows in memory: a code flow reads one four times, and each has JSON in four columns. */
const knownClients = new WeakMap<Authentic<"client">, Client>();

function toKnownClient(row: Authentic<"client">): Client {
  let client = knownClients.get(row);
  if (client === undefined) knownClients.set(row, client = toClient(row));
  return client;
}

/** Throws `not_found`. */
export async function getClientRow(
  db: Db,
  authority: RowAuthority,
  clientId: string,
): Promise<Authentic<"client">> {
  const row = await findClientRow(db, authority, clientId);
  if (row === undefined) throw new ProtocolError("not_found", "There is no such client");
  return row;
}

/** Throws `not_found`. */
export async function getClient(db: Db, authority: RowAuthority, clientId: string): Promise<Client> {
  return toClient(await getClientRow(db, authority, clientId));
}

/** Returns a page of the clients, oldest first, and the cursor of the next page. */
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

const READ_AT_ONCE = 500;

/** Lists all clients, without those whose rows do not add up. Does not detect a missing one. */
export async function listAllClients(db: Db, authority: RowAuthority): Promise<readonly Client[]> {
  const all: Client[] = [];
  let after: string | undefined;
  do {
    const { clients, next } = await listClients(db, authority, { after, limit: READ_AT_ONCE });
    all.push(...clients);
    after = next;
  } while (after !== undefined);
  return all;
}

function readPosition(text: string): Place<"client", "all"> {
  const match = /^(\d{1,15})\.([0-9a-v]{26}|[!-~]*:[!-~]*)$/.exec(text);
  if (match !== null) return { created_at: Number(match[1]), id: match[2]! };
  throw foreignCursor();
}
