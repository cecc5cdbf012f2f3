import type { Db } from "../../db/schema.ts";
import { isInNetwork, networkOf, parseIpAddress, parseIpNetwork } from "../../lib/ip-address.ts";
import { DAY, MINUTE } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, listRows } from "../../store/read.ts";
import { replaceIfUnchanged } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { findAccount } from "../account.ts";
import type { Account } from "../account.ts";
import { secretMatches } from "../session/token.ts";
import { readApiToken } from "./token-text.ts";

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
