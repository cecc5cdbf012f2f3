import { type Environment, readConfig } from "../config/config.ts";
import type { Db } from "../db/schema/schema.ts";
import { primitives } from "../runtime/crypto.ts";
import { removalFaultOf, removeSlot, showSlot, type SlotView } from "../sealing/slots.ts";
import { judgeSlots, listStoredSlots } from "../vault/seal-slot.ts";
import { openSeed, type SeedOptions } from "../vault/seed.ts";
import { testSlots } from "../vault/test-slots.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { getSealKeyIds, type StorageConfig } from "./open/data-folder.ts";
import { withDatabaseLock } from "./open/database-lock.ts";
import {
  type ChangeContext,
  changeSlots,
  openingSources,
  refuseChanged,
  refuseOlderSet,
  sourceContextOf,
  withDatabaseToRead,
} from "./open/slot-changes.ts";
import { readArguments } from "./process/arguments.ts";
import { printResult } from "./process/print.ts";
import { random } from "./process/random.ts";
import { StartRefusal } from "./process/refusal.ts";
import { writeSlots } from "./seal-list.ts";

const FAULTS = {
  unknown: "there is no such slot; `holdfast seal list` prints them",
  last: "it is the last one: add another first",
  last_without_holders: "it is the last one that opens without the holders of shares: add another first",
} as const;

/**
 * Removes a slot in one transaction with its audit entry, and returns the slots that are left. Throws `StartRefusal`
 * for the last slot, for the last that opens without holders, and if no other slot opens with the keys of the
 * configured source and `SEAL_SOURCES`. A dry run changes nothing.
 */
export async function removeConfiguredSlot(
  config: StorageConfig,
  { id, mode }: { readonly id: string; readonly mode: "dry-run" | "write" },
  context: ChangeContext,
): Promise<readonly SlotView[]> {
  await getSealKeyIds(config);
  const sources = await openingSources(sourceContextOf(config, context.random));
  const options = { sources, primitives, random: context.random };
  const { opened, provenKeyId, left } = await withDatabaseToRead(config, async (db) => {
    const opened = await openSeed(db, options);
    await refuseOlderSet(db, config, opened);
    const stored = await listStoredSlots(db);
    const { sound, missing } = await judgeSlots(db, opened.vault, stored);
    const fault = removalFaultOf({ sound, ids: [...stored.map((slot) => slot.id), ...missing] }, id);
    if (fault !== undefined) throw new StartRefusal(`Cannot remove the slot ${id}: ${FAULTS[fault]}`);
    const provenKeyId = opened.slot.id === id ? await proveOther(db, options, id) : opened.slot.seal_key_id;
    return { opened, provenKeyId, left: stored.filter((slot) => slot.id !== id).map(showSlot) };
  });
  context.onStep?.("verified");
  if (mode === "dry-run") return left;
  await changeSlots(
    config,
    opened,
    (tx, services) => removeSlot(tx, services, { id, provenKeyId }, context.now).catch(refuseChanged),
    context,
  );
  return left;
}

/** Returns the key id of another slot that opens. Throws `StartRefusal` if none does. */
async function proveOther(db: Db, options: SeedOptions, id: string): Promise<string> {
  const { slots } = await testSlots(db, options);
  const other = slots.find(({ slot, opens }) => opens === true && slot.id !== id);
  if (other !== undefined) return other.slot.seal_key_id;
  throw new StartRefusal(
    `Cannot remove the slot ${id}: no other slot opens with the configured source or those of SEAL_SOURCES; ` +
      "name the source of another in SEAL_SOURCES first",
  );
}

export async function sealRemove(environment: Environment, list: readonly string[]): Promise<void> {
  const { flags, operands } = readArguments(list, { flags: ["yes", "dry-run"], operands: ["ID"] });
  const mode = flags.has("dry-run") ? "dry-run" : "write";
  const id = operands[0]!;
  if (mode === "write" && !flags.has("yes")) {
    throw new StartRefusal(`Nothing was removed: add --yes to remove the slot ${id} for good, or --dry-run`);
  }
  const config = readConfig(withSecretFiles(environment));
  await getSealKeyIds(config);
  const request = { id, mode } as const;
  const left = await withDatabaseLock(
    config,
    "use",
    () => removeConfiguredSlot(config, request, { now: Date.now(), random }),
  );
  const done = mode === "write"
    ? `removed ${id}; backups from before still open with its key`
    : "dry run: nothing was changed";
  printResult(`${done}\nleft:\n${writeSlots(left)}`);
}
