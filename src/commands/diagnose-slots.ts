import { connectDatabase } from "../db/database.ts";
import { DatabaseError } from "../db/error.ts";
import { readSchema } from "../db/migrate.ts";
import { showSlot, type SlotView } from "../sealing/slots.ts";
import { sourcesOf } from "../vault/seed.ts";
import { type SlotTest, testSlots } from "../vault/test-slots.ts";
import type { StorageConfig } from "./open/data-folder.ts";
import { openEngineToRead } from "./open/database.ts";
import { refuseOlderSet } from "./open/slot-changes.ts";
import type { OpeningKey } from "./open/vault.ts";

/** A slot, and what its key is worth now. */
export interface DiagnosedSlot extends SlotView {
  /** Null if no source gave its key. */
  readonly opens: boolean | null;
  /** The last start that needed this slot and not the configured source's; null for the configured source's own. */
  readonly neededUntil: string | null;
}

/** Tries every slot, and adds a fault for each that does not open although it should. Writes nothing. */
export async function diagnoseSlots(
  storage: StorageConfig,
  key: OpeningKey,
  faults: string[],
): Promise<readonly DiagnosedSlot[]> {
  const db = connectDatabase(await openEngineToRead(storage));
  try {
    const sources = sourcesOf(key);
    const test = await testSlots(db, { ...key, sources });
    faults.push(...slotFaults(test));
    const [configured] = sources;
    const own = configured && test.sealKeyIds.get(configured);
    const isCurrent = (await readSchema(db)).pending.length === 0;
    // The check of the log reports its own fault.
    if (isCurrent && test.vault !== undefined) {
      await refuseOlderSet(db, storage, { vault: test.vault }).catch(passLogFault);
    }
    return test.slots.map(({ slot, opens }) => {
      const view = showSlot(slot);
      return { ...view, opens, neededUntil: slot.seal_key_id === own ? null : view.openedAt };
    });
  } finally {
    await db.destroy();
  }
}

function passLogFault(error: unknown): void {
  if (!(error instanceof DatabaseError) || error.code !== "log_cut") throw error;
}

const FAULTS = {
  not_authentic: "was changed, or is another database's: it does not open",
  not_in_set: "was removed and is back, or is another database's: it does not open",
} as const;

/** Returns a sentence for each slot that does not open, or is missing. */
export function slotFaults({ judged }: Pick<SlotTest, "judged">): readonly string[] {
  if (judged === undefined) return [];
  return [
    ...judged.refused.map(({ id, fault }) => `The slot ${id} ${FAULTS[fault]}`),
    ...judged.missing.map((id) => `The slot ${id} is missing in the database`),
  ];
}
