import type { Db } from "../db/schema/schema.ts";
import type { VaultPrimitives } from "../lib/crypto.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { SealingKeySource } from "../tee/tee.ts";
import { VaultRefusal } from "./error.ts";
import { judgeSlots, listStoredSlots, type StoredSlot } from "./seal-slot.ts";
import { type OpenedSeed, openSeed } from "./seed.ts";
import { opensSlot, prepareSeedSeal, SEED_VERSION, withSealingKey } from "./sealing-key.ts";

/** The columns of a slot that its key and its source determine. */
export type SealedSlot = Pick<StoredSlot, "source" | "api" | "seal_key_id" | "version" | "sealed">;

export interface PreparedSlot {
  readonly opened: OpenedSeed;
  readonly sealKeyId: string;
  /** The slot to add; undefined if the key has a slot. */
  readonly slot: SealedSlot | undefined;
}

export interface SlotPreparation {
  /** The sources that open the seed, tried in this order. */
  readonly from: readonly SealingKeySource[];
  /** The source of the further key. */
  readonly to: SealingKeySource;
  readonly primitives: VaultPrimitives;
  readonly random: RandomBytes;
}

/**
 * Seals the seed under a further key and verifies that the key, asked for again, opens it. Writes nothing. Throws
 * `VaultRefusal` or `TeeStartError` if the further key is unavailable or no slot opens.
 */
export async function prepareSlot(
  db: Db,
  { from, to, primitives, random }: SlotPreparation,
): Promise<PreparedSlot> {
  const target = await withSealingKey(to, primitives, (key, id) => prepareSeedSeal(key, id, random));
  const { sealKeyId } = target;
  const opened = await openSeed(db, { sources: from, targets: [target], primitives, random });
  const { sound } = await judgeSlots(db, opened.vault, await listStoredSlots(db));
  if (sound.some(({ seal_key_id }) => seal_key_id === sealKeyId)) {
    return { opened, sealKeyId, slot: undefined };
  }
  const { source, api = null } = to;
  const slot = { source, api, seal_key_id: sealKeyId, version: SEED_VERSION, sealed: opened.sealed[0]! };
  if (!await opensSlot(to, slot, { vault: opened.vault, primitives, random })) {
    throw new VaultRefusal(
      "sealing_key_unavailable",
      "Cannot seal under another key: its source did not give the same key twice",
    );
  }
  return { opened, sealKeyId, slot };
}
