import { appendAudit } from "../../audit/log.ts";
import type { TokenAlgorithm } from "../../db/schema/oauth.ts";
import type { Db } from "../../db/schema/schema.ts";
import { DAY, HOUR, type Instant, MINUTE } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { listRows } from "../../store/read.ts";
import { consumeRow, insertRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { NewTokenKey, SealedTokenKey } from "../../vault/token-key.ts";
import type { OAuthServices } from "../services.ts";

/** The supported signing algorithms. The first is the default. */
export const TOKEN_ALGORITHMS = ["ES256", "RS256", "EdDSA"] as const satisfies readonly TokenAlgorithm[];

/** The lifetime of access tokens and ID tokens. */
export const TOKEN_LIFETIME = HOUR;

export const KEY_ROTATION = 90 * DAY;

/** The time for which a key is published before it signs, so that clients with a cached key set have it. */
const KEY_PUBLISHED_AHEAD = HOUR;

/** The time for which a replaced key stays published: a token's lifetime plus five minutes of clock skew. */
const KEY_PUBLISHED_AFTER = TOKEN_LIFETIME + 5 * MINUTE;

export interface SigningKey extends SealedTokenKey {
  readonly publicJwk: string;
  readonly signsFrom: Instant;
}

type SigningKeyServices = Pick<OAuthServices, "vault" | "authority" | "groupCommit">;

/** Returns the authentic keys in signing order. */
async function listKeys(db: Db, authority: RowAuthority): Promise<SigningKey[]> {
  return inOrder(await listRows(db, authority, "token_key", "all", {}));
}

async function listKeysOf(
  db: Db,
  authority: RowAuthority,
  algorithm: TokenAlgorithm,
): Promise<SigningKey[]> {
  return inOrder(await listRows(db, authority, "token_key", "ofAlgorithm", { algorithm }));
}

function inOrder(rows: Authentic<"token_key">[]): SigningKey[] {
  rows.sort((a, b) => a.signs_from - b.signs_from || (a.id < b.id ? -1 : 1));
  return rows.map((row) => ({
    kid: row.id,
    algorithm: row.algorithm,
    publicJwk: row.public_jwk,
    sealed: row.sealed,
    signsFrom: row.signs_from,
  }));
}

function ofAlgorithm(keys: readonly SigningKey[], algorithm: TokenAlgorithm): SigningKey[] {
  return keys.filter((key) => key.algorithm === algorithm);
}

/** Returns the newest key that may sign. After the clock was set back, returns the oldest. */
function currentOf(keys: readonly SigningKey[], now: Instant): SigningKey | undefined {
  return keys.findLast(({ signsFrom }) => signsFrom <= now) ?? keys[0];
}

function isDue(keys: readonly SigningKey[], now: Instant): boolean {
  const newest = keys.at(-1);
  return newest === undefined || newest.signsFrom + KEY_ROTATION - KEY_PUBLISHED_AHEAD <= now;
}

/** Returns true if a key was replaced so long ago that every token it signed has expired. */
function isExpired(key: SigningKey, keys: readonly SigningKey[], now: Instant): boolean {
  return ofAlgorithm(keys, key.algorithm).some(({ signsFrom }) =>
    signsFrom > key.signsFrom && signsFrom + KEY_PUBLISHED_AFTER <= now
  );
}

/** Creates the first key of an algorithm if needed. Concurrent processes agree on one. */
export async function getSigningKey(
  db: Db,
  services: SigningKeyServices,
  { algorithm, now }: { algorithm: TokenAlgorithm; now: Instant },
): Promise<SigningKey> {
  const find = async (): Promise<SigningKey | undefined> =>
    currentOf(await listKeysOf(db, services.authority, algorithm), now);
  const found = await find();
  if (found !== undefined) return found;
  await makeKeys(db, services, { algorithms: [algorithm], now, unless: (keys) => keys.length > 0 });
  return (await find())!;
}

/** Returns the current, the next and the recently replaced keys. Creates and deletes keys when due, and the first. */
async function listPublishedKeys(db: Db, services: SigningKeyServices, now: Instant): Promise<SigningKey[]> {
  await maintain(db, services, { makeFirst: true, now });
  const keys = await listKeys(db, services.authority);
  return keys.filter((key) => !isExpired(key, keys, now));
}

/** Returns a published key, or undefined. Does not create keys. */
export async function findVerificationKey(
  db: Db,
  authority: RowAuthority,
  { kid, algorithm, now }: { kid: string; algorithm: TokenAlgorithm; now: Instant },
): Promise<SigningKey | undefined> {
  // The key itself, and those that may have replaced it.
  const keys = await listKeysOf(db, authority, algorithm);
  const key = keys.find((candidate) => candidate.kid === kid);
  return key === undefined || isExpired(key, keys, now) ? undefined : key;
}

/** Returns the key set (RFC 7517 section 5) of `jwks_uri`. */
export async function publicJwks(
  db: Db,
  services: SigningKeyServices,
  now: Instant,
): Promise<{ keys: Readonly<Record<string, string>>[] }> {
  const keys = await listPublishedKeys(db, services, now);
  return { keys: keys.map(({ publicJwk }) => JSON.parse(publicJwk)) };
}

/**
 * Creates and deletes keys when due. Call it at each start and periodically. Creates no first key of an algorithm: most
 * of a first start would go into an RSA key that no application may ever ask for.
 */
export async function maintainSigningKeys(db: Db, services: SigningKeyServices, now: Instant): Promise<void> {
  await maintain(db, services, { makeFirst: false, now });
}

async function maintain(
  db: Db,
  services: SigningKeyServices,
  { makeFirst, now }: { readonly makeFirst: boolean; readonly now: Instant },
): Promise<void> {
  const keys = await listKeys(db, services.authority);
  const due = TOKEN_ALGORITHMS.filter((algorithm) => {
    const present = ofAlgorithm(keys, algorithm);
    return (makeFirst || present.length > 0) && isDue(present, now);
  });
  if (due.length > 0) {
    await makeKeys(db, services, { algorithms: due, now, unless: (present) => !isDue(present, now) });
  }
  const expired = keys.filter((key) => isExpired(key, keys, now)).map(({ kid }) => kid);
  if (expired.length > 0) {
    await services.groupCommit.run(async (tx) => {
      for (const id of expired) await consumeRow(tx, services.authority, "token_key", "byId", { id });
    });
  }
}

/**
 * Replaces the keys of these algorithms. New keys are published at once and sign after an hour. Old keys stay
 * published while their tokens can be valid. Returns the new key ids.
 */
export async function rotateSigningKeys(
  db: Db,
  services: SigningKeyServices,
  { algorithms = TOKEN_ALGORITHMS, now }: { algorithms?: readonly TokenAlgorithm[]; now: Instant },
): Promise<string[]> {
  return await makeKeys(db, services, { algorithms, now, unless: () => false });
}

/** Creates keys outside a transaction, because it takes long. Discards each one for which `unless` is then true. */
async function makeKeys(
  db: Db,
  { vault, authority, groupCommit }: SigningKeyServices,
  { algorithms, now, unless }: {
    algorithms: readonly TokenAlgorithm[];
    now: Instant;
    unless: (present: readonly SigningKey[]) => boolean;
  },
): Promise<string[]> {
  if (db.isTransaction) throw new TypeError("Cannot create signing keys: in a transaction");
  const made: NewTokenKey[] = [];
  for (const algorithm of algorithms) made.push(await vault.makeTokenKey(algorithm));
  return await groupCommit.run(async (tx) => {
    const present = await listKeys(tx, authority);
    const kept: string[] = [];
    for (const key of made) {
      const rivals = ofAlgorithm(present, key.algorithm);
      if (unless(rivals)) continue;
      await insertKey(tx, { vault, authority }, { key, now, isFirst: rivals.length === 0 });
      kept.push(key.kid);
    }
    return kept;
  });
}

async function insertKey(
  tx: Db,
  { vault, authority }: Pick<OAuthServices, "vault" | "authority">,
  { key, now, isFirst }: { key: NewTokenKey; now: Instant; isFirst: boolean },
): Promise<void> {
  await insertRow(tx, authority, "token_key", {
    id: key.kid,
    algorithm: key.algorithm,
    public_jwk: key.publicJwk,
    sealed: key.sealed,
    created_at: now,
    signs_from: isFirst ? now : now + KEY_PUBLISHED_AHEAD,
  });
  await appendAudit(tx, vault, now, {
    event: "token_key_made",
    accountId: null,
    subject: key.kid,
    detail: { algorithm: key.algorithm },
  });
}
