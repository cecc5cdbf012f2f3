import process from "node:process";
import { type Environment, readConfig } from "../config/config.ts";
import type { Db } from "../db/schema/schema.ts";
import type { RandomBytes } from "../lib/id.ts";
import { visible, visibleJson } from "../lib/text.ts";
import { primitives } from "../runtime/crypto.ts";
import { showSlot, type SlotView } from "../sealing/slots.ts";
import { listStoredSlots } from "../vault/seal-slot.ts";
import { testSlots } from "../vault/test-slots.ts";
import { slotFaults } from "./diagnose-slots.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { getSealKeyIds, type StorageConfig } from "./open/data-folder.ts";
import { withDatabaseLock } from "./open/database-lock.ts";
import { openingSources, refuseOlderSet, sourceContextOf, withDatabaseToRead } from "./open/slot-changes.ts";
import { readArguments } from "./process/arguments.ts";
import { printResult } from "./process/print.ts";
import { random } from "./process/random.ts";

/** Lists the slots as stored. Needs no key, so that nothing authenticates them. */
export async function listSlots(config: StorageConfig): Promise<readonly SlotView[]> {
  await getSealKeyIds(config);
  return await withDatabaseToRead(config, async (db) => (await listStoredSlots(db)).map(showSlot), "any");
}

/** A slot with the result of its test. */
export interface TestedView extends SlotView {
  /** Null if no source gave its key. */
  readonly opens: boolean | null;
}

export interface SlotTestResult {
  readonly slots: readonly TestedView[];
  readonly faults: readonly string[];
  /** Sources that gave no key, each a sentence. */
  readonly notes: readonly string[];
}

/** Tries the key of the configured source and those of `SEAL_SOURCES` on every slot. Writes nothing. */
export async function testConfiguredSlots(
  config: StorageConfig,
  random: RandomBytes,
): Promise<SlotTestResult> {
  await getSealKeyIds(config);
  const sources = await openingSources(sourceContextOf(config, random));
  return await withDatabaseToRead(config, async (db: Db) => {
    const test = await testSlots(db, { sources, primitives, random });
    if (test.vault !== undefined) await refuseOlderSet(db, config, { vault: test.vault });
    return {
      slots: test.slots.map(({ slot, opens }) => ({ ...showSlot(slot), opens })),
      faults: slotFaults(test),
      notes: test.unavailable.map(({ source, error }) => `no key of ${source.source}: ${error.message}`),
    };
  });
}

function lineOf({ id, source, api, keyId, createdAt, openedAt, threshold, shares }: SlotView): string {
  const name = api === undefined ? source : `${source} ${api}`;
  const holders = threshold === undefined ? "" : `  ${threshold} of ${shares} shares`;
  return `${id}  ${name.padEnd(10)}  ${keyId}  made ${createdAt}  opened ${openedAt ?? "never"}${holders}`;
}

/** Formats a line for each slot. */
export function writeSlots(slots: readonly SlotView[]): string {
  return slots.map((slot) => visible(lineOf(slot)) + "\n").join("");
}

function toText(value: object): string {
  return visibleJson(JSON.stringify(value, null, 2)) + "\n";
}

export async function sealList(environment: Environment, list: readonly string[]): Promise<void> {
  const { flags } = readArguments(list, { flags: ["json"] });
  const config = readConfig(withSecretFiles(environment));
  await getSealKeyIds(config);
  const slots = await withDatabaseLock(config, "use", () => listSlots(config));
  printResult(flags.has("json") ? toText({ slots }) : writeSlots(slots));
}

const OPENS = new Map<boolean | null, string>([
  [true, "opens      "],
  [false, "DOES NOT   "],
  [null, "no key     "],
]);

export async function sealTest(environment: Environment, list: readonly string[]): Promise<void> {
  const { flags } = readArguments(list, { flags: ["json"] });
  const config = readConfig(withSecretFiles(environment));
  await getSealKeyIds(config);
  const { slots, faults, notes } = await withDatabaseLock(
    config,
    "use",
    () => testConfiguredSlots(config, random),
  );
  const lines = slots.map((slot) => `${OPENS.get(slot.opens)}${visible(lineOf(slot))}\n`);
  printResult(flags.has("json") ? toText({ slots }) : lines.join(""));
  for (const note of [...notes, ...faults]) process.stderr.write(`holdfast: ${visible(note)}\n`);
  if (faults.length > 0 || slots.some(({ opens }) => opens === false)) process.exitCode = 1;
}
