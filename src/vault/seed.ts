import type { Db, SealedSeedTable } from "../db/schema.ts";
import { transaction } from "../db/transaction.ts";
import { lengthPrefixed, utf8 } from "../lib/bytes.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Instant } from "../lib/time.ts";
import { TeeStartError } from "../tee/hardware.ts";
import type { Tee } from "../tee/tee.ts";
import { VaultRefusal } from "./error.ts";
import type { VaultPrimitives } from "./primitives.ts";
import { open, seal } from "./seal.ts";
import type { SealContext, SealingKey } from "./seal.ts";
import { Vault } from "./vault.ts";

/** The one row. */
export const SEED_ID = 1;
const SEED_VERSION = 1;
const SEED_LENGTH = 32;
const SEALING_KEY_LENGTH = 32;
const SEAL_KEY_ID = lengthPrefixed(utf8("holdfast/seal-key-id/v1"));

/** What opening a vault needs besides the database. */
export interface VaultOptions {
  readonly tee: Tee;
  readonly primitives: VaultPrimitives;
  readonly random: RandomBytes;
  readonly now: Instant;
}

/** Whatever gives a sealing key: a TEE, or a part of one. */
export type SealingKeySource = Pick<Tee, "sealingKey">;

/**
 * Runs the job with a source's sealing key and the key's id, and wipes the key. Throws `VaultRefusal` when there is
 * none, or none that can be one; a source's own `TeeStartError` as it is, because it says what to do.
 */
export async function withSealingKey<T>(
  tee: SealingKeySource,
  primitives: VaultPrimitives,
  job: (sealingKey: SealingKey, sealKeyId: string) => T | Promise<T>,
): Promise<T> {
  const key = await tee.sealingKey().catch((cause: unknown) => {
    if (cause instanceof TeeStartError) throw cause;
    const message = "Cannot open vault: the trusted execution environment gives no sealing key";
    throw new VaultRefusal("sealing_key_unavailable", message, { cause });
  });
  try {
    // All bytes alike is what a key looks like that was never filled in.
    if (key.length !== SEALING_KEY_LENGTH || key.every((byte) => byte === key[0])) {
      throw new VaultRefusal(
        "sealing_key_unavailable",
        "Cannot open vault: the sealing key is not 32 random bytes",
      );
    }
    return await job({ primitives, key }, primitives.hmacSha256(key, SEAL_KEY_ID).toHex());
  } finally {
    key.fill(0);
  }
}

/** The id of a sealing key, which says nothing about the key. Throws `VaultRefusal` when there is none. */
export async function sealKeyIdOf(tee: SealingKeySource, primitives: VaultPrimitives): Promise<string> {
  return await withSealingKey(tee, primitives, (_key, sealKeyId) => sealKeyId);
}

function seedContext(version: number, sealKeyId: string): SealContext {
  return { purpose: "seed", additionalData: [utf8(String(version)), utf8(sealKeyId)] };
}

/** The sealed seed, if the database has one. */
export async function findSealedSeed(db: Db): Promise<SealedSeedTable | undefined> {
  return await db.selectFrom("sealed_seed").selectAll().where("id", "=", SEED_ID).executeTakeFirst();
}

async function hasRows(tx: Db): Promise<boolean> {
  const account = await tx.selectFrom("account").select("id").limit(1).executeTakeFirst();
  const event = await tx.selectFrom("audit_event").select("seq").limit(1).executeTakeFirst();
  return account !== undefined || event !== undefined;
}

/** A seed under a sealing key. The caller wipes the seed. */
export async function sealSeed(
  key: SealingKey,
  { sealKeyId, seed, random }: {
    readonly sealKeyId: string;
    readonly seed: Uint8Array;
    readonly random: RandomBytes;
  },
): Promise<Uint8Array> {
  return await seal(key, seedContext(SEED_VERSION, sealKeyId), seed, random);
}

async function makeSealedSeed(key: SealingKey, sealKeyId: string, random: RandomBytes): Promise<Uint8Array> {
  const seed = random(SEED_LENGTH);
  try {
    if (seed.length !== SEED_LENGTH) {
      throw new TypeError("Cannot make seed: random source gave a wrong number of bytes");
    }
    return await sealSeed(key, { sealKeyId, seed, random });
  } finally {
    seed.fill(0);
  }
}

/** The row that counts: the one that is there, or a new one over an empty database. Of several starters one wins. */
async function getSealedSeed(
  db: Db,
  { sealed, sealKeyId, now }: { sealed: Uint8Array; sealKeyId: string; now: Instant },
): Promise<SealedSeedTable> {
  return await transaction(db, async (tx) => {
    const present = await findSealedSeed(tx);
    if (present !== undefined) return present;
    if (await hasRows(tx)) {
      throw new VaultRefusal(
        "seed_missing",
        "Cannot open vault: the database has rows but lost its sealed seed",
      );
    }
    const row = { id: SEED_ID, version: SEED_VERSION, seal_key_id: sealKeyId, sealed, created_at: now };
    await tx.insertInto("sealed_seed").values(row).execute();
    return row;
  });
}

/** The seed of a row, which the caller wipes. Throws `VaultRefusal` when this key does not open it. */
export async function openSealedSeed(
  key: SealingKey,
  sealKeyId: string,
  row: SealedSeedTable,
): Promise<Uint8Array> {
  if (row.seal_key_id !== sealKeyId) {
    throw new VaultRefusal(
      "wrong_sealing_key",
      "Cannot open vault: the database was sealed under another key",
    );
  }
  if (row.version !== SEED_VERSION) {
    throw new VaultRefusal("seed_damaged", "Cannot open vault: the sealed seed is of an unknown version");
  }
  try {
    return await open(key, seedContext(row.version, sealKeyId), row.sealed);
  } catch (cause) {
    throw new VaultRefusal("seed_damaged", "Cannot open vault: the sealed seed was changed", { cause });
  }
}

/**
 * Opens the vault over the database's root seed; over an empty database it makes the seed first, and starters that
 * meet agree on one. Throws `VaultRefusal`, having written nothing, when the seed cannot be had. Does not notice
 * that a whole database was taken away: whoever starts the service compares with what it knew before.
 */
export async function openVault(db: Db, { tee, primitives, random, now }: VaultOptions): Promise<Vault> {
  const seed = await withSealingKey(tee, primitives, async (key, sealKeyId) => {
    const row = await findSealedSeed(db) ??
      await getSealedSeed(db, { sealed: await makeSealedSeed(key, sealKeyId, random), sealKeyId, now });
    return await openSealedSeed(key, sealKeyId, row);
  });
  try {
    const vault = new Vault({ seed, primitives, random });
    // The first multiplication builds noble's table of the base point, which takes as long as many signatures.
    vault.ethereumPublicKey("warm-up", 0);
    return vault;
  } finally {
    seed.fill(0);
  }
}
