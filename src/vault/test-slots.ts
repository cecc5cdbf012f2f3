import type { Db } from "../db/schema/schema.ts";
import { TeeStartError } from "../tee/hardware.ts";
import type { SealingKeySource } from "../tee/tee.ts";
import { VaultRefusal } from "./error.ts";
import { type JudgedSlots, judgeSlots, listStoredSlots, type StoredSlot } from "./seal-slot.ts";
import { openSeed, type SeedOptions } from "./seed.ts";
import { opensSlot, sealKeyIdOf } from "./sealing-key.ts";
import type { Vault } from "./vault.ts";

/** A stored slot. `opens` is null if no source gave its key. */
export interface TestedSlot {
  readonly slot: StoredSlot;
  readonly opens: boolean | null;
}

export interface SlotTest {
  readonly slots: readonly TestedSlot[];
  /** Undefined if no slot opens. */
  readonly vault: Vault | undefined;
  /** Undefined if no slot opens: then the seed authenticates none. */
  readonly judged: JudgedSlots | undefined;
  /** The key id of each source that gave a key. */
  readonly sealKeyIds: ReadonlyMap<SealingKeySource, string>;
  /** The reasons of sources that gave none. */
  readonly unavailable: readonly { readonly source: SealingKeySource; readonly error: Error }[];
}

/** Tries the key of every source on every slot. Writes nothing. Throws only what is no refusal. */
export async function testSlots(db: Db, options: SeedOptions): Promise<SlotTest> {
  const slots = await listStoredSlots(db);
  const sealKeyIds = new Map<SealingKeySource, string>();
  const unavailable: { readonly source: SealingKeySource; readonly error: Error }[] = [];
  for (const source of options.sources) {
    try {
      sealKeyIds.set(source, await sealKeyIdOf(source, options.primitives));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      unavailable.push({ source, error });
    }
  }
  const given = { ...options, sources: [...sealKeyIds.keys()] };
  const vault = await openSeed(db, given).then(({ vault }) => vault, (error: unknown) => {
    if (isRefusal(error)) return undefined;
    throw error;
  });
  const judged = vault && await judgeSlots(db, vault, slots);
  const tested: TestedSlot[] = [];
  for (const slot of slots) {
    tested.push({ slot, opens: await tryOpening(slot, sealKeyIds, { ...options, vault, judged }) });
  }
  return { slots: tested, vault, judged, sealKeyIds, unavailable };
}

function isRefusal(error: unknown): error is Error {
  return error instanceof VaultRefusal || error instanceof TeeStartError;
}

async function tryOpening(
  slot: StoredSlot,
  sealKeyIds: SlotTest["sealKeyIds"],
  { vault, judged, ...options }: SeedOptions & {
    readonly vault: Vault | undefined;
    readonly judged: JudgedSlots | undefined;
  },
): Promise<boolean | null> {
  if (judged?.sound.includes(slot) === false) return false;
  const source = [...sealKeyIds].find(([, id]) => id === slot.seal_key_id)?.[0];
  if (source === undefined) return null;
  return vault !== undefined && await opensSlot(source, slot, { ...options, vault });
}
