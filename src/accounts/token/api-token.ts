import type { Db } from "../../db/schema/schema.ts";
import { utf8 } from "../../lib/bytes.ts";
import { ID_LENGTH, SECRET_LENGTH } from "../../lib/id.ts";
import { isInNetwork, networkOf, parseIpAddress, parseIpNetwork } from "../../lib/ip-address.ts";
import { sha256 } from "../../lib/sha256.ts";
import { DAY, MINUTE } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, listRows } from "../../store/read.ts";
import { replaceIfUnchanged } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { findAccount } from "../account.ts";
import type { Account } from "../account.ts";
import { secretMatches } from "../session/bearer-secret.ts";
import type { Token } from "../session/bearer-secret.ts";

/** What a token can be allowed to do with keys, and nothing else of the account. */
export const TOKEN_ACTIONS = ["read", "sign", "create"] as const;

export type TokenAction = (typeof TOKEN_ACTIONS)[number];

/** How long a token lives unless its owner says otherwise, and at the longest. */
export const TOKEN_LIFETIME = 90 * DAY;

export const LONGEST_TOKEN_LIFETIME = 365 * DAY;

/** Most tokens an account may have, and most keys a token may name. */
export const TOKEN_LIMIT = 50;

export const TOKEN_KEY_LIMIT = 100;

/** How stale the note of its last use may grow: a write on each request would cost more than the request. */
const TOUCH_INTERVAL = 5 * MINUTE;

/** A token with which a program uses some keys of an account. */
export interface ApiToken {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** Ids of keys. */
  readonly keys: "all" | readonly string[];
  readonly actions: readonly TokenAction[];
  /** In CIDR notation; undefined for any. */
  readonly networks: readonly string[] | undefined;
  /** What may be signed with it, in canonical JSON; null for anything. */
  readonly policy: string | null;
  /** The thumbprint of the key that each request must prove (RFC 9449); undefined for a bearer token. */
  readonly jkt: string | undefined;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly lastUsedAt: Instant | undefined;
  readonly lastUsedNetwork: string | undefined;
}

/** A token as it stands in its row. What its owner gave was read before it was written under the row's MAC. */
export function toApiToken(row: Authentic<"api_token">): ApiToken {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    keys: JSON.parse(row.keys) as ApiToken["keys"],
    actions: row.actions.split(" ") as TokenAction[],
    networks: row.networks?.split(" "),
    policy: row.policy,
    jkt: row.jkt ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at ?? undefined,
    lastUsedNetwork: row.last_used_network ?? undefined,
  };
}

/** The tokens of an account, oldest first, those among them that have ended within the last 30 days. */
export async function listApiTokens(db: Db, authority: RowAuthority, accountId: string): Promise<ApiToken[]> {
  return (await listRows(db, authority, "api_token", "ofAccount", { account_id: accountId })).map(toApiToken);
}

/** Whose program sends a request, and what it may do. */
export interface TokenHolder {
  readonly token: ApiToken;
  readonly account: Account;
  readonly row: Authentic<"api_token">;
}

/**
 * Whom an API token speaks for, sent from this address at this time; undefined when it speaks for nobody (any more).
 * Checksum, secret, both rows' authenticity, end and networks are checked; what it may do, and the proof of one that is
 * bound to a key, the caller sees to.
 */
export async function findApiToken(
  db: Db,
  authority: RowAuthority,
  { text, clientAddress, now }: { text: string; clientAddress: string; now: Instant },
): Promise<TokenHolder | undefined> {
  const read = readApiToken(text);
  if (read === undefined) return undefined;
  const row = await findRow(db, authority, "api_token", "byId", { id: read.id });
  if (row === undefined || !secretMatches(read.secret, row.secret_hash) || row.expires_at <= now) {
    return undefined;
  }
  const token = toApiToken(row);
  if (!isAllowedFrom(token, clientAddress)) return undefined;
  const account = await findAccount(db, authority, row.account_id);
  return account === undefined ? undefined : { token, account, row };
}

/** Notes the use of a token, at most once in five minutes. */
export async function noteTokenUse(
  db: Db,
  authority: RowAuthority,
  { row }: TokenHolder,
  { clientAddress, now }: { clientAddress: string; now: Instant },
): Promise<void> {
  if (row.last_used_at !== null && row.last_used_at + TOUCH_INTERVAL > now) return;
  // Of many requests at once one writes.
  const used = { last_used_at: now, last_used_network: networkOf(clientAddress) };
  await replaceIfUnchanged(db, authority, "api_token", row, used);
}

function isAllowedFrom({ networks }: ApiToken, clientAddress: string): boolean {
  if (networks === undefined) return true;
  const address = parseIpAddress(clientAddress);
  return address !== undefined && networks.some((network) => isInNetwork(address, parseIpNetwork(network)!));
}

/** Whether a token may use a key for this. */
export function mayUse(
  { keys, actions }: Pick<ApiToken, "keys" | "actions">,
  action: TokenAction,
  keyId?: string,
): boolean {
  return actions.includes(action) && (keys === "all" || keyId === undefined || keys.includes(keyId));
}

/** What every API token begins with, so that scanners for secrets know one when they see it. */
export const TOKEN_PREFIX = "hfst_";

const CHECKSUM_LENGTH = 6;

const TOKEN = new RegExp(
  `^${TOKEN_PREFIX}([0-9a-v]{${ID_LENGTH}})_([A-Za-z0-9]{${SECRET_LENGTH}})([0-9a-f]{${CHECKSUM_LENGTH}})$`,
);

function checksumOf(text: string): string {
  return sha256(utf8(text)).toHex().slice(0, CHECKSUM_LENGTH);
}

/**
 * An API token as programs send it: `hfst_`, 26 of `[0-9a-v]` that name it, `_`, 43 of `[A-Za-z0-9]` that are its
 * secret (256 bits), and six hexadecimal digits: the beginning of the SHA-256 of all that stands before them. Whoever
 * finds one in a repository can tell it from a text that only looks like it.
 */
export function formatApiToken({ id, secret }: Token): string {
  const text = `${TOKEN_PREFIX}${id.slice(id.indexOf("_") + 1)}_${secret}`;
  return text + checksumOf(text);
}

/** Reads an API token; undefined for anything else, a mistyped one included. Does not check that it was ever issued. */
export function readApiToken(text: string): Token | undefined {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  if (id === undefined || checksumOf(text.slice(0, -CHECKSUM_LENGTH)) !== text.slice(-CHECKSUM_LENGTH)) {
    return undefined;
  }
  return { id: `token_${id}`, secret: secret! };
}
