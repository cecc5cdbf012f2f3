import { sql } from "kysely";
import type { Db } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { lengthPrefixed, utf8 } from "../lib/bytes.ts";
import type { VaultPrimitives } from "../lib/crypto.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import { TeeStartError } from "../tee/hardware.ts";
import type { Tee } from "../tee/tee.ts";
import { VaultRefusal } from "./error.ts";
import { open, prepareSeal, type SealContext, type SealingKey, type SealOnce } from "./seal.ts";
import { Vault } from "./vault.ts";

export const SEED_ID = 1;
const SEED_VERSION = 1;
const SEED_LENGTH = 32;
const SEALING_KEY_LENGTH = 32;
const SEAL_KEY_ID = lengthPrefixed(utf8("holdfast/seal-key-id/v1"));

export interface VaultOptions {
  readonly tee: Tee;
  readonly primitives: VaultPrimitives;
  readonly random: RandomBytes;
  readonly now: Instant;
}

/** A provider of a sealing key: a TEE, or a part of one. */
export type SealingKeySource = Pick<Tee, "sealingKey">;

/**
 * Runs the job with a source's sealing key and the key's id, and wipes the key when the job returns. A job that
 * returns a promise must use the key before it returns. Throws `VaultRefusal` if there is no key or an invalid one.
 * Passes on a source's own `TeeStartError`, because its message says what to do.
 */
export async function withSealingKey<T>(
  tee: SealingKeySource,
  primitives: VaultPrimitives,
  job: (sealingKey: SealingKey, sealKeyId: string) => T,
): Promise<Awaited<T>> {
  const key = await tee.sealingKey().catch((cause: unknown) => {
    if (cause instanceof TeeStartError) throw cause;
    const message = "Cannot open vault: the trusted execution environment gives no sealing key";
    throw new VaultRefusal("sealing_key_unavailable", message, { cause });
  });
  let made: T;
  try {
    // A key of 32 equal bytes was probably never filled in.
    if (key.length !== SEALING_KEY_LENGTH || key.every((byte) => byte === key[0])) {
      throw new VaultRefusal(
        "sealing_key_unavailable",
        "Cannot open vault: the sealing key is not 32 random bytes",
      );
    }
    made = job({ primitives, key }, primitives.hmacSha256(key, SEAL_KEY_ID).toHex());
  } finally {
    key.fill(0);
  }
  return await made;
}

/** Returns the id of a sealing key, which reveals nothing about the key. Throws `VaultRefusal` if there is none. */
export async function sealKeyIdOf(tee: SealingKeySource, primitives: VaultPrimitives): Promise<string> {
  return await withSealingKey(tee, primitives, (_key, sealKeyId) => sealKeyId);
}

function seedContext(version: string, sealKeyId: string): SealContext {
  return { purpose: "seed", additionalData: [utf8(version), utf8(sealKeyId)] };
}

/** The sealed seed as stored. The version is decimal text, because it may not be a safe number. */
export interface SealedSeed {
  readonly version: string;
  readonly seal_key_id: string;
  readonly sealed: Uint8Array;
}

export async function findSealedSeed(db: Db): Promise<SealedSeed | undefined> {
  return await db.selectFrom("sealed_seed")
    .select([sql<string>`cast(version as text)`.as("version"), "seal_key_id", "sealed"])
    .where("id", "=", SEED_ID).executeTakeFirst();
}

async function hasRows(tx: Db): Promise<boolean> {
  const account = await tx.selectFrom("account").select("id").limit(1).executeTakeFirst();
  const event = await tx.selectFrom("audit_event").select("seq").limit(1).executeTakeFirst();
  return account !== undefined || event !== undefined;
}

/** Prepares the sealing of a seed. The caller can wipe the key when this function returns. */
export function prepareSeedSeal(key: SealingKey, sealKeyId: string, random: RandomBytes): SealOnce {
  return prepareSeal(key, seedContext(String(SEED_VERSION), sealKeyId), random);
}

function drawSealed(sealOnce: SealOnce, random: RandomBytes): Uint8Array {
  const seed = random(SEED_LENGTH);
  try {
    if (seed.length !== SEED_LENGTH) {
      throw new TypeError("Cannot create seed: random source gave a wrong number of bytes");
    }
    return sealOnce(seed);
  } finally {
    seed.fill(0);
  }
}

/** Creates the seed of an empty database. If several processes start at once, one of them creates it. */
async function makeSeed(db: Db, { tee, primitives, random, now }: VaultOptions): Promise<void> {
  const [sealOnce, sealKeyId] = await withSealingKey(
    tee,
    primitives,
    (key, id) => [prepareSeedSeal(key, id, random), id] as const,
  );
  const sealed = drawSealed(sealOnce, random);
  await transaction(db, async (tx) => {
    if (await findSealedSeed(tx) !== undefined) return;
    if (await hasRows(tx)) {
      throw new VaultRefusal(
        "seed_missing",
        "Cannot open vault: the database has rows but lost its sealed seed",
      );
    }
    const row = { id: SEED_ID, version: SEED_VERSION, seal_key_id: sealKeyId, sealed, created_at: now };
    await tx.insertInto("sealed_seed").values(row).execute();
  });
}

function openSeed(key: SealingKey, sealKeyId: string, { version, sealed }: SealedSeed): Uint8Array {
  try {
    return open(key, seedContext(version, sealKeyId), sealed);
  } catch (cause) {
    throw new VaultRefusal("seed_damaged", "Cannot open vault: the sealed seed was changed", { cause });
  }
}

/** Runs the job with the seed, and wipes it afterwards. Throws `VaultRefusal` if this key does not open it. */
export function openSealedSeed<T>(
  key: SealingKey,
  sealKeyId: string,
  row: SealedSeed,
  job: (seed: Uint8Array) => T,
): T {
  if (row.seal_key_id !== sealKeyId) {
    throw new VaultRefusal(
      "wrong_sealing_key",
      "Cannot open vault: the database was sealed under another key",
    );
  }
  if (row.version !== String(SEED_VERSION)) {
    throw new VaultRefusal("seed_damaged", "Cannot open vault: the sealed seed is of an unknown version");
  }
  const seed = openSeed(key, sealKeyId, row);
  try {
    return job(seed);
  } finally {
    seed.fill(0);
  }
}

/** Opens an existing vault. Writes nothing. Throws `VaultRefusal` without a seed, or with another sealing key. */
export async function openSealedVault(
  db: Db,
  { tee, primitives, random }: Omit<VaultOptions, "now">,
): Promise<Vault> {
  const row = await findSealedSeed(db);
  if (row === undefined) {
    throw new VaultRefusal("seed_missing", "Cannot open vault: the database has no sealed seed");
  }
  return await withSealingKey(
    tee,
    primitives,
    (key, id) => openSealedSeed(key, id, row, (seed) => new Vault({ seed, primitives, random })),
  );
}

/**
 * Opens the vault of a database, and creates the seed of an empty one. Processes that start at once use the same seed.
 * Throws `VaultRefusal`, without writing, if the seed is unavailable. Does not detect that the whole database was
 * deleted: the operator must compare with what was there before.
 */
export async function openVault(db: Db, options: VaultOptions): Promise<Vault> {
  if (await findSealedSeed(db) === undefined) await makeSeed(db, options);
  return await openSealedVault(db, options);
}
