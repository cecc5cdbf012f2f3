import type { Db } from "../db/schema/schema.ts";
import { constantTimeEqual, utf8 } from "../lib/bytes.ts";
import type { VaultPrimitives } from "../lib/crypto.ts";
import type { RandomBytes } from "../lib/id.ts";
import { VaultRefusal } from "./error.ts";
import { findSealedSeed, openSealedSeed, prepareSeedSeal, SEED_ID, withSealingKey } from "./seed.ts";
import type { SealedSeed, SealingKeySource } from "./seed.ts";
import { Vault } from "./vault.ts";

export interface ResealOptions {
  readonly from: SealingKeySource;
  readonly to: SealingKeySource;
  readonly primitives: VaultPrimitives;
  readonly random: RandomBytes;
}

/** A seed that was opened with the old key and sealed with the new one, but not stored. */
export interface PreparedReseal {
  /** The seed is unchanged, and so are all addresses and row MACs. */
  readonly vault: Vault;
  readonly fromSealKeyId: string;
  readonly toSealKeyId: string;
  /** The stored row and its replacement; undefined if it is sealed with the new key already. */
  readonly change: { readonly present: SealedSeed; readonly sealed: Uint8Array } | undefined;
}

/**
 * Opens the seed with the old key, seals it with the new one and verifies that it opens again. Writes nothing. Throws
 * `VaultRefusal` if a key is unavailable, if both are the same, or if the seed opens with neither the old key nor,
 * after an earlier reseal, the new one.
 */
export async function prepareReseal(db: Db, options: ResealOptions): Promise<PreparedReseal> {
  const { from, to, primitives, random } = options;
  const present = await findSealedSeed(db);
  if (present === undefined) {
    throw new VaultRefusal("seed_missing", "Cannot reseal: the database has no sealed seed");
  }
  const [sealOnce, toSealKeyId] = await withSealingKey(
    to,
    primitives,
    (key, id) => [prepareSeedSeal(key, id, random), id] as const,
  );
  const isDone = present.seal_key_id === toSealKeyId;
  const [opening, fromSealKeyId] = await withSealingKey(from, primitives, (key, id) => {
    if (id === toSealKeyId) {
      throw new VaultRefusal(
        "same_sealing_key",
        "Cannot reseal: the old and the new sealing key are the same",
      );
    }
    const opening = isDone ? undefined : openSealedSeed(key, id, present, (seed) => ({
      vault: new Vault({ seed, primitives, random }),
      sealed: sealOnce(seed),
    }));
    return [opening, id] as const;
  });
  const ids = { fromSealKeyId, toSealKeyId };
  if (opening === undefined) {
    return { ...ids, vault: await openUnder(to, present, options), change: undefined };
  }
  const { vault, sealed } = opening;
  const reopened = await openUnder(to, { ...present, seal_key_id: toSealKeyId, sealed }, options);
  if (!isSameSeed(vault, reopened)) {
    throw new TypeError("Cannot reseal: the sealed bytes open to another seed");
  }
  return { ...ids, vault, change: { present, sealed } };
}

function openUnder(
  source: SealingKeySource,
  row: SealedSeed,
  { primitives, random }: ResealOptions,
): Promise<Vault> {
  return withSealingKey(
    source,
    primitives,
    (key, id) => openSealedSeed(key, id, row, (seed) => new Vault({ seed, primitives, random })),
  );
}

/** Compares a hash keyed by the seed, so that no code holds both seeds at once. */
function isSameSeed(one: Vault, other: Vault): boolean {
  const fingerprint = (vault: Vault): Uint8Array => vault.keyedHash("audit", utf8("reseal"));
  return constantTimeEqual(fingerprint(one), fingerprint(other));
}

/**
 * Stores a prepared seed in the caller's transaction. Throws `VaultRefusal` `seed_replaced` if the stored row changed.
 * Does not write an audit entry: the caller does, in the same transaction.
 */
export async function storeReseal(tx: Db, { change, toSealKeyId }: PreparedReseal): Promise<void> {
  if (!tx.isTransaction) throw new TypeError("Cannot reseal: not in a transaction");
  if (change === undefined) return;
  const { present, sealed } = change;
  const { numUpdatedRows } = await tx.updateTable("sealed_seed").set({ seal_key_id: toSealKeyId, sealed })
    .where("id", "=", SEED_ID).where("version", "=", Number(present.version))
    .where("seal_key_id", "=", present.seal_key_id).where("sealed", "=", present.sealed)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) {
    throw new VaultRefusal("seed_replaced", "Cannot reseal: the sealed seed was replaced at the same time");
  }
}
