import type { Db } from "../../db/schema/schema.ts";
import { utf8 } from "../../lib/bytes.ts";
import { ID_LENGTH, SECRET_LENGTH } from "../../lib/id.ts";
import { isInNetwork, networkOf, parseIpAddress, parseIpNetwork } from "../../lib/ip-address.ts";
import { sha256 } from "../../lib/sha256.ts";
import { DAY, type Instant, MINUTE } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { findRow, listRows } from "../../store/read.ts";
import { replaceIfUnchanged } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { type Account, findAccount } from "../account.ts";
import { secretMatches, type Token } from "../session/bearer-secret.ts";

/** The permissions of a token. A token can use keys only. */
export const TOKEN_ACTIONS = ["read", "sign", "create"] as const;

export type TokenAction = (typeof TOKEN_ACTIONS)[number];

export const TOKEN_LIFETIME = 90 * DAY;

export const LONGEST_TOKEN_LIFETIME = 365 * DAY;

/** Maximum number of tokens for each account, and of keys that a token may name. */
export const TOKEN_LIMIT = 50;

export const TOKEN_KEY_LIMIT = 100;

/** The maximum staleness of the last use. A write on each request would cost more than the request. */
const TOUCH_INTERVAL = 5 * MINUTE;

export interface ApiToken {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  /** Key ids. */
  readonly keys: "all" | readonly string[];
  readonly actions: readonly TokenAction[];
  /** In CIDR notation. Undefined for any network. */
  readonly networks: readonly string[] | undefined;
  /** The policy of the token in canonical JSON. Null allows everything. */
  readonly policy: string | null;
  /** The thumbprint of the key that each request must prove (RFC 9449). Undefined for a bearer token. */
  readonly jkt: string | undefined;
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly lastUsedAt: Instant | undefined;
  readonly lastUsedNetwork: string | undefined;
}

/** Parses a row. Its JSON was validated before it was written under the row's MAC. */
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

/** Lists the tokens of an account, oldest first. Includes those that ended within the last 30 days. */
export async function listApiTokens(db: Db, authority: RowAuthority, accountId: string): Promise<ApiToken[]> {
  return (await listRows(db, authority, "api_token", "ofAccount", { account_id: accountId })).map(toApiToken);
}

export interface TokenHolder {
  readonly token: ApiToken;
  readonly account: Account;
  readonly row: Authentic<"api_token">;
}

/**
 * Returns the holder of an API token sent from this address. Checks checksum, secret, the authenticity of both rows,
 * expiry and networks. Returns undefined if one of the checks fails or the account is disabled. Does not check the
 * permissions of the token or its DPoP proof: the caller does.
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

/** Records the use of a token at most once in five minutes. */
export async function noteTokenUse(
  db: Db,
  authority: RowAuthority,
  { row }: TokenHolder,
  { clientAddress, now }: { clientAddress: string; now: Instant },
): Promise<void> {
  if (row.last_used_at !== null && row.last_used_at + TOUCH_INTERVAL > now) return;
  // Of many concurrent requests only one writes.
  const used = { last_used_at: now, last_used_network: networkOf(clientAddress) };
  await replaceIfUnchanged(db, authority, "api_token", row, used);
}

function isAllowedFrom({ networks }: ApiToken, clientAddress: string): boolean {
  if (networks === undefined) return true;
  const address = parseIpAddress(clientAddress);
  return address !== undefined && networks.some((network) => isInNetwork(address, parseIpNetwork(network)!));
}

export function mayUse(
  { keys, actions }: Pick<ApiToken, "keys" | "actions">,
  action: TokenAction,
  keyId?: string,
): boolean {
  return actions.includes(action) && (keys === "all" || keyId === undefined || keys.includes(keyId));
}

/** The prefix of every API token, by which secret scanners detect one. */
const TOKEN_PREFIX = "hfst_";

const CHECKSUM_LENGTH = 6;

const TOKEN = new RegExp(
  `^${TOKEN_PREFIX}([0-9a-v]{${ID_LENGTH}})_([A-Za-z0-9]{${SECRET_LENGTH}})([0-9a-f]{${CHECKSUM_LENGTH}})$`,
);

function checksumOf(text: string): string {
  return sha256(utf8(text)).toHex().slice(0, CHECKSUM_LENGTH);
}

/**
 * Formats an API token: `hfst_`, 26 of `[0-9a-v]` as id, `_`, 43 of `[A-Za-z0-9]` as secret (256 bits), and a
 * checksum. The checksum, six hexadecimal digits of the SHA-256 of everything before it, lets a secret scanner reject
 * lookalikes.
 */
export function formatApiToken({ id, secret }: Token): string {
  const text = `${TOKEN_PREFIX}${id.slice(id.indexOf("_") + 1)}_${secret}`;
  return text + checksumOf(text);
}

/** Returns undefined if the format or checksum is wrong. Does not check that the token was issued. */
export function readApiToken(text: string): Token | undefined {
  const [, id, secret] = TOKEN.exec(text) ?? [];
  if (id === undefined || checksumOf(text.slice(0, -CHECKSUM_LENGTH)) !== text.slice(-CHECKSUM_LENGTH)) {
    return undefined;
  }
  return { id: `token_${id}`, secret: secret! };
}
