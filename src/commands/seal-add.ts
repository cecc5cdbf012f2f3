import { type Environment, readConfig } from "../config/config.ts";
import { primitives } from "../runtime/crypto.ts";
import { addSlot } from "../sealing/slots.ts";
import { prepareSlot } from "../vault/add-slot.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { getSealKeyIds, type StorageConfig } from "./open/data-folder.ts";
import { withDatabaseLock } from "./open/database-lock.ts";
import { readNamedSource } from "./open/key-source.ts";
import {
  type ChangeContext,
  changeSlots,
  openingSources,
  refuseFull,
  refuseOlderSet,
  sourceContextOf,
  withDatabaseToRead,
} from "./open/slot-changes.ts";
import { type Arguments, getValue, readArguments } from "./process/arguments.ts";
import { printResult } from "./process/print.ts";
import { random } from "./process/random.ts";
import { UsageError } from "./process/refusal.ts";
import { addRecoverySlot, readRecoveryRequest } from "./seal-add-recovery.ts";

export interface AddResult {
  readonly outcome: "added" | "would_add" | "present";
  readonly keyId: string;
  /** The id of the new slot; undefined if none was added. */
  readonly slot: string | undefined;
}

/**
 * Adds a slot for the key of a source, after verifying that the key opens it, in one transaction with its audit entry.
 * Changes nothing if the key has a slot, and in a dry run. Throws `StartRefusal` or `VaultRefusal` if no slot opens, or
 * the source gives no key.
 */
export async function addConfiguredSlot(
  config: StorageConfig,
  { to, mode }: { readonly to: string; readonly mode: "dry-run" | "write" },
  context: ChangeContext,
): Promise<AddResult> {
  await getSealKeyIds(config);
  const sources = sourceContextOf(config, context.random);
  const target = await readNamedSource(to, sources);
  const from = await openingSources(sources);
  const { opened, sealKeyId: keyId, slot } = await withDatabaseToRead(config, async (db) => {
    const prepared = await prepareSlot(db, {
      from,
      to: target.keys[0],
      primitives,
      random: context.random,
    });
    await refuseOlderSet(db, config, prepared.opened);
    return prepared;
  });
  context.onStep?.("verified");
  if (slot === undefined) return { outcome: "present", keyId, slot: undefined };
  if (mode === "dry-run") return { outcome: "would_add", keyId, slot: undefined };
  let id: string | undefined;
  const whole = { ...slot, threshold: null, shares: null, share_hashes: null };
  await changeSlots(config, opened, async (tx, services) => {
    id = await addSlot(tx, services, whole, context).catch(refuseFull);
  }, context);
  return { outcome: id === undefined ? "present" : "added", keyId, slot: id };
}

const OUTCOMES = {
  added: "added: the holder of this key can open the seed from now on",
  would_add: "dry run: the key opens what it seals, nothing was changed",
  present: "nothing to do: this key has a slot",
} as const satisfies Record<AddResult["outcome"], string>;

async function addFor(given: Arguments, environment: Environment): Promise<void> {
  const request = { to: getValue(given, "to"), mode: modeOf(given) } as const;
  const config = readConfig(withSecretFiles(environment));
  await getSealKeyIds(config);
  const { outcome, keyId, slot } = await withDatabaseLock(
    config,
    "use",
    () => addConfiguredSlot(config, request, { now: Date.now(), random }),
  );
  printResult(`key   ${keyId}\n${slot === undefined ? "" : `slot  ${slot}\n`}${OUTCOMES[outcome]}\n`);
}

function modeOf({ flags }: Arguments): "dry-run" | "write" {
  return flags.has("dry-run") ? "dry-run" : "write";
}

async function addForHolders(given: Arguments, environment: Environment): Promise<void> {
  const request = await readRecoveryRequest(given, modeOf(given));
  const config = readConfig(withSecretFiles(environment));
  await getSealKeyIds(config);
  const context = { now: Date.now(), random };
  printResult(await withDatabaseLock(config, "use", () => addRecoverySlot(config, request, context)));
}

export async function sealAdd(environment: Environment, list: readonly string[]): Promise<void> {
  const given = readArguments(list, {
    flags: ["dry-run"],
    values: ["to", "recovery", "threshold", "out"],
  });
  const isForHolders = ["recovery", "threshold", "out"].some((option) => given.values.has(option));
  if (isForHolders && given.values.has("to")) throw new UsageError("--to does not go with --recovery");
  await (isForHolders ? addForHolders : addFor)(given, environment);
}
