import type { Db, SealedSeedTable } from "../db/schema.ts";
import { constantTimeEqual } from "../lib/bytes.ts";
import type { RandomBytes } from "../lib/id.ts";
import { VaultRefusal } from "./error.ts";
import type { VaultPrimitives } from "./primitives.ts";
import type { SealingKey } from "./seal.ts";
import { findSealedSeed, openSealedSeed, sealSeed, SEED_ID, withSealingKey } from "./seed.ts";
import type { SealingKeySource } from "./seed.ts";
import { Vault } from "./vault.ts";

/** What moving a seed to another sealing key needs besides the database. */
export interface ResealOptions {
  /** The key that the seed is sealed under. */
  readonly from: SealingKeySource;
  /** The key that it shall be sealed under. */
  readonly to: SealingKeySource;
  readonly primitives: VaultPrimitives;
  readonly random: RandomBytes;
}

/** A seed that was opened under the old key and sealed under the new one, but not stored. */
export interface PreparedReseal {
  /** Over the seed, which stays the same: so do all addresses and row MACs. */
  readonly vault: Vault;
  readonly fromSealKeyId: string;
  readonly toSealKeyId: string;
  /** The row as it is and as it shall be; undefined when it is sealed under the new key already. */
  readonly change: { readonly present: SealedSeedTable; readonly sealed: Uint8Array } | undefined;
}

interface NamedKey {
  readonly key: SealingKey;
  readonly id: string;
}

/**
 * Proves that the old key opens the seed and that what the new key seals, it opens again. Writes nothing. Throws
 * `VaultRefusal` when either key cannot be had, both are the same, or the seed does not open under the old one (nor,
 * from an earlier reseal, under the new one).
 */
export async function prepareReseal(
  db: Db,
  { from, to, primitives, random }: ResealOptions,
): Promise<PreparedReseal> {
  return await withSealingKey(
    from,
    primitives,
    (fromKey, fromId) =>
      withSealingKey(to, primitives, async (toKey, toId) => {
        if (fromId === toId) {
          throw new VaultRefusal(
            "same_sealing_key",
            "Cannot reseal: the old and the new sealing key are the same",
          );
        }
        const row = await findSealedSeed(db);
        if (row === undefined) {
          throw new VaultRefusal("seed_missing", "Cannot reseal: the database has no sealed seed");
        }
        const isDone = row.seal_key_id === toId;
        const seed = isDone
          ? await openSealedSeed(toKey, toId, row)
          : await openSealedSeed(fromKey, fromId, row);
        try {
          const sealed = isDone
            ? undefined
            : await sealProven({ key: toKey, id: toId }, row, { seed, random });
          return {
            vault: new Vault({ seed, primitives, random }),
            fromSealKeyId: fromId,
            toSealKeyId: toId,
            change: sealed === undefined ? undefined : { present: row, sealed },
          };
        } finally {
          seed.fill(0);
        }
      }),
  );
}

async function sealProven(
  { key, id }: NamedKey,
  row: SealedSeedTable,
  { seed, random }: { readonly seed: Uint8Array; readonly random: RandomBytes },
): Promise<Uint8Array> {
  const sealed = await sealSeed(key, { sealKeyId: id, seed, random });
  const opened = await openSealedSeed(key, id, { ...row, seal_key_id: id, sealed });
  try {
    if (!constantTimeEqual(opened, seed)) {
      throw new TypeError("Cannot reseal: what was sealed opens to another seed");
    }
  } finally {
    opened.fill(0);
  }
  return sealed;
}

/**
 * Stores a prepared seed in the caller's transaction, if the row is still the one that was opened; otherwise throws
 * `VaultRefusal` `seed_replaced`. Does not record it: the caller does, in the same transaction.
 */
export async function storeReseal(tx: Db, { change, toSealKeyId }: PreparedReseal): Promise<void> {
  if (!tx.isTransaction) throw new TypeError("Cannot reseal: not in a transaction");
  if (change === undefined) return;
  const { present, sealed } = change;
  const { numUpdatedRows } = await tx.updateTable("sealed_seed").set({ seal_key_id: toSealKeyId, sealed })
    .where("id", "=", SEED_ID).where("version", "=", present.version)
    .where("seal_key_id", "=", present.seal_key_id).where("sealed", "=", present.sealed)
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) {
    throw new VaultRefusal("seed_replaced", "Cannot reseal: the sealed seed was replaced meanwhile");
  }
}
