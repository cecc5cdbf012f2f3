import { appendAudit } from "../../audit/log.ts";
import type { TokenAlgorithm } from "../../db/schema/oauth.ts";
import type { Db } from "../../db/schema/schema.ts";
import { DAY, HOUR, MINUTE } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import { listRows } from "../../store/read.ts";
import { insertRow, takeRow } from "../../store/write.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { NewTokenKey, SealedTokenKey } from "../../vault/token-key.ts";
import type { OAuthServices } from "../services.ts";

/** Every algorithm tokens are signed with; the first is the one for clients that ask for none. */
export const TOKEN_ALGORITHMS = ["ES256", "RS256", "EdDSA"] as const satisfies readonly TokenAlgorithm[];

/** How long an access token or ID token lives. */
export const TOKEN_LIFETIME = HOUR;

/** How old a key grows before the schedule replaces it. */
export const KEY_ROTATION = 90 * DAY;

/** How long a key is published before it signs, so that whoever keeps a copy of the key set has seen it. */
export const KEY_PUBLISHED_AHEAD = HOUR;

/** How long a replaced key stays published: as long as a token can live, and some minutes for clocks that differ. */
const KEY_PUBLISHED_AFTER = TOKEN_LIFETIME + 5 * MINUTE;

/** A key that tokens are signed with. */
export interface SigningKey extends SealedTokenKey {
  readonly publicJwk: string;
  readonly signsFrom: Instant;
}

type KeyKeeper = Pick<OAuthServices, "vault" | "authority" | "groupCommit">;

/** The authentic keys, in the order in which they sign. */
async function listKeys(db: Db, authority: RowAuthority): Promise<SigningKey[]> {
  return inOrder(await listRows(db, authority, "token_key", "all", {}));
}

/** The authentic keys of an algorithm, in the order in which they sign. */
async function listKeysOf(
  db: Db,
  authority: RowAuthority,
  algorithm: TokenAlgorithm,
): Promise<SigningKey[]> {
  return inOrder(await listRows(db, authority, "token_key", "ofAlgorithm", { algorithm }));
}

/** Keys in the order in which they sign. */
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

/** The one that signs now: the newest that may; after the clock was set back, the oldest. */
function currentOf(keys: readonly SigningKey[], now: Instant): SigningKey | undefined {
  return keys.findLast(({ signsFrom }) => signsFrom <= now) ?? keys[0];
}

/** Whether the schedule asks for a new key of this algorithm; the newest one says. */
function isDue(keys: readonly SigningKey[], now: Instant): boolean {
  const newest = keys.at(-1);
  return newest === undefined || newest.signsFrom + KEY_ROTATION - KEY_PUBLISHED_AHEAD <= now;
}

/** Whether a key has been replaced for so long that nothing signed with it can be alive. */
function isOver(key: SigningKey, keys: readonly SigningKey[], now: Instant): boolean {
  return ofAlgorithm(keys, key.algorithm).some(({ signsFrom }) =>
    signsFrom > key.signsFrom && signsFrom + KEY_PUBLISHED_AFTER <= now
  );
}

/** The key that signs with this algorithm now; the first time it is made. Processes that meet agree on one. */
export async function getSigningKey(
  db: Db,
  keeper: KeyKeeper,
  { algorithm, now }: { algorithm: TokenAlgorithm; now: Instant },
): Promise<SigningKey> {
  const find = async (): Promise<SigningKey | undefined> =>
    currentOf(await listKeysOf(db, keeper.authority, algorithm), now);
  const found = await find();
  if (found !== undefined) return found;
  await makeKeys(db, keeper, { algorithms: [algorithm], now, unless: (keys) => keys.length > 0 });
  return (await find())!;
}

/**
 * The keys whose signatures count now: those that sign, those that soon will and those that lately did. Makes what the
 * schedule asks for, and deletes what is over.
 */
async function listPublishedKeys(db: Db, keeper: KeyKeeper, now: Instant): Promise<SigningKey[]> {
  await maintainSigningKeys(db, keeper, now);
  const keys = await listKeys(db, keeper.authority);
  return keys.filter((key) => !isOver(key, keys, now));
}

/** The key of that id and algorithm if its signatures count now; undefined otherwise. Makes none. */
export async function findVerificationKey(
  db: Db,
  authority: RowAuthority,
  { kid, algorithm, now }: { kid: string; algorithm: TokenAlgorithm; now: Instant },
): Promise<SigningKey | undefined> {
  // Itself and those that may have replaced it.
  const keys = await listKeysOf(db, authority, algorithm);
  const key = keys.find((candidate) => candidate.kid === kid);
  return key === undefined || isOver(key, keys, now) ? undefined : key;
}

/** The key set (RFC 7517 section 5) of `jwks_uri`. */
export async function publicJwks(
  db: Db,
  keeper: KeyKeeper,
  now: Instant,
): Promise<{ keys: Readonly<Record<string, string>>[] }> {
  const keys = await listPublishedKeys(db, keeper, now);
  return { keys: keys.map(({ publicJwk }) => JSON.parse(publicJwk)) };
}

/**
 * Keeps the schedule: every algorithm has a key, a key that grows old gets a successor, and keys that are over are
 * deleted. Writes nothing when there is nothing to do. For every start, and now and then.
 */
export async function maintainSigningKeys(db: Db, keeper: KeyKeeper, now: Instant): Promise<void> {
  const keys = await listKeys(db, keeper.authority);
  const due = TOKEN_ALGORITHMS.filter((algorithm) => isDue(ofAlgorithm(keys, algorithm), now));
  if (due.length > 0) {
    await makeKeys(db, keeper, { algorithms: due, now, unless: (present) => !isDue(present, now) });
  }
  const over = keys.filter((key) => isOver(key, keys, now)).map(({ kid }) => kid);
  if (over.length > 0) {
    await keeper.groupCommit.run(async (tx) => {
      for (const id of over) await takeRow(tx, keeper.authority, "token_key", "byId", { id });
    });
  }
}

/**
 * Replaces the keys of all algorithms, or of those given: the new ones are published at once and sign in an hour, the
 * old ones stay published as long as what they signed can live. Answers the new keys' ids.
 */
export async function rotateSigningKeys(
  db: Db,
  keeper: KeyKeeper,
  { algorithms = TOKEN_ALGORITHMS, now }: { algorithms?: readonly TokenAlgorithm[]; now: Instant },
): Promise<string[]> {
  return await makeKeys(db, keeper, { algorithms, now, unless: () => false });
}

/** Makes keys outside of any transaction, which they would hold up, and keeps each unless by then it is not needed. */
async function makeKeys(
  db: Db,
  { vault, authority, groupCommit }: KeyKeeper,
  { algorithms, now, unless }: {
    algorithms: readonly TokenAlgorithm[];
    now: Instant;
    unless: (present: readonly SigningKey[]) => boolean;
  },
): Promise<string[]> {
  if (db.isTransaction) throw new TypeError("Cannot make signing keys: in a transaction");
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
