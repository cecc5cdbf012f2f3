import { prepared } from "../../db/prepared.ts";
import type { Slot } from "../../db/prepared.ts";
import type { ClientTable, ClientType, TokenAlgorithm } from "../../db/oauth-schema.ts";
import type { Db } from "../../db/schema.ts";
import { foreignCursor } from "../../lib/cursor-error.ts";
import { ProtocolError } from "../../lib/error.ts";
import type { Instant } from "../../lib/time.ts";
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
  readonly idTokenSignedResponseAlg: TokenAlgorithm;
  readonly disabled: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Null exactly for public clients. */
  readonly secretHash: string | null;
}

/** How clients of each type authenticate (RFC 7591 section 2): by type and nothing else. */
export const AUTHENTICATION_METHODS = {
  web: "client_secret_basic",
  spa: "none",
  native: "none",
} as const satisfies Record<ClientType, string>;

/** What a row says, without its MAC. */
export function toClient(row: Omit<ClientTable, "mac">): Client {
  return {
    clientId: row.id,
    name: row.name,
    uri: row.uri,
    type: row.type,
    redirectUris: JSON.parse(row.redirect_uris),
    postLogoutRedirectUris: JSON.parse(row.post_logout_redirect_uris),
    idTokenSignedResponseAlg: row.id_token_alg,
    disabled: row.disabled === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    secretHash: row.secret_hash,
  };
}

const selectClient = prepared((db, slot: Slot<{ readonly id: string }>) =>
  db.selectFrom("client").selectAll().where("id", "=", slot("id"))
);

async function findClientRow(
  db: Db,
  authority: RowAuthority,
  clientId: string,
): Promise<ClientTable | undefined> {
  if (!/^[0-9a-v]{26}$/.test(clientId)) return undefined;
  const [row] = await selectClient(db, { id: clientId });
  return row !== undefined && authority.isAuthentic("client", row) ? row : undefined;
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
export async function getClientRow(db: Db, authority: RowAuthority, clientId: string): Promise<ClientTable> {
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
  let query = db.selectFrom("client").selectAll().orderBy("created_at").orderBy("id").limit(limit + 1);
  if (after !== undefined) {
    const { createdAt, id } = readPosition(after);
    query = query.where((where) =>
      where.or([
        where("created_at", ">", createdAt),
        where.and([where("created_at", "=", createdAt), where("id", ">", id)]),
      ])
    );
  }
  const rows = await query.execute();
  const isLast = rows.length <= limit;
  const page = rows.slice(0, limit);
  const clients = page.filter((row) => authority.isAuthentic("client", row)).map(toClient);
  const last = page.at(-1);
  return { clients, next: isLast || last === undefined ? undefined : `${last.created_at}.${last.id}` };
}

function readPosition(text: string): { createdAt: Instant; id: string } {
  const match = /^(\d{1,15})\.([0-9a-v]{26})$/.exec(text);
  if (match !== null) return { createdAt: Number(match[1]), id: match[2]! };
  throw foreignCursor();
}
