import { type Environment, readConfig } from "../config/config.ts";
import { primitives } from "../runtime/crypto.ts";
import { removalFaultOf, removeSlot, showSlot, type SlotView } from "../sealing/slots.ts";
import { judgeSlots, listStoredSlots } from "../vault/seal-slot.ts";
import { openSeed } from "../vault/seed.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { getSealKeyIds, type StorageConfig } from "./open/data-folder.ts";
import { withDatabaseLock } from "./open/database-lock.ts";
import {
  type ChangeContext,
  changeSlots,
  openingSources,
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
 * for the last slot, and for the last that opens without holders. A dry run changes nothing.
 */
export async function removeConfiguredSlot(
  config: StorageConfig,
  { id, mode }: { readonly id: string; readonly mode: "dry-run" | "write" },
  context: ChangeContext,
): Promise<readonly SlotView[]> {
  await getSealKeyIds(config);
  const sources = await openingSources(sourceContextOf(config, context.random));
  const { opened, left } = await withDatabaseToRead(config, async (db) => {
    const opened = await openSeed(db, { sources, primitives, random: context.random });
    await refuseOlderSet(db, config, opened);
    const stored = await listStoredSlots(db);
    const { sound, missing } = await judgeSlots(db, opened.vault, stored);
    const fault = removalFaultOf({ sound, ids: [...stored.map((slot) => slot.id), ...missing] }, id);
    if (fault !== undefined) throw new StartRefusal(`Cannot remove the slot ${id}: ${FAULTS[fault]}`);
    return { opened, left: stored.filter((slot) => slot.id !== id).map(showSlot) };
  });
  context.onStep?.("verified");
  if (mode === "dry-run") return left;
  await changeSlots(
    config,
    opened,
    (tx, services) => removeSlot(tx, services, id, context.now),
    context,
  );
  return left;
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
