import { existsSync, readdirSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { primitives } from "../runtime/crypto.ts";
import { encryptTo, readLines, RecoveryFault } from "../sealing/age.ts";
import { hashShares, writeShare } from "../sealing/recovery.ts";
import { addSlot } from "../sealing/slots.ts";
import { prepareSlot } from "../vault/add-slot.ts";
import { makeRecoveryKey, MOST_HOLDERS } from "../vault/recovery-key.ts";
import { replaceFile } from "./files/durable-file.ts";
import { readInputText } from "./files/input-file.ts";
import { getSealKeyIds, type StorageConfig } from "./open/data-folder.ts";
import {
  type ChangeContext,
  changeSlots,
  openingSources,
  refuseFull,
  refuseOlderSet,
  sourceContextOf,
  withDatabaseToRead,
} from "./open/slot-changes.ts";
import { type Arguments, getValue, readNumber } from "./process/arguments.ts";
import { StartRefusal, UsageError } from "./process/refusal.ts";

export interface RecoverySlotRequest {
  /** One age recipient for each holder. */
  readonly recipients: readonly string[];
  readonly threshold: number;
  /** An empty folder, or none yet, for the encrypted shares. */
  readonly out: string;
  readonly mode: "dry-run" | "write";
}

/** Reads `--recovery`, `--threshold` and `--out`. Throws `UsageError` and `StartRefusal`. */
export async function readRecoveryRequest(
  given: Arguments,
  mode: RecoverySlotRequest["mode"],
): Promise<RecoverySlotRequest> {
  const [path, out] = [getValue(given, "recovery"), getValue(given, "out")];
  const least = { option: "threshold", least: 2, most: MOST_HOLDERS };
  const threshold = readNumber(getValue(given, "threshold"), least);
  const recipients = readLines(await readInputText(path));
  if (recipients.length < threshold || recipients.length > MOST_HOLDERS) {
    throw new UsageError(
      `--threshold must be from 2 to the number of recipients in ${path}, which is ${recipients.length}`,
    );
  }
  if (new Set(recipients).size < recipients.length) {
    throw new StartRefusal(`${path} has a recipient twice: each holder must have one share`);
  }
  return { recipients, threshold, out, mode };
}

function refuseNotEmpty(out: string): void {
  if (existsSync(out) && readdirSync(out).length > 0) {
    throw new StartRefusal(`${out} is not empty: name an empty folder for the shares`);
  }
}

/**
 * Adds a recovery slot: draws a key, splits it among the recipients, writes each share encrypted to its holder, and
 * adds the slot in one transaction with its audit entry. Any `threshold` of the holders can open the seed in a trust
 * domain that they verified. Returns the report. A dry run writes nothing.
 */
export async function addRecoverySlot(
  config: StorageConfig,
  { recipients, threshold, out, mode }: RecoverySlotRequest,
  context: ChangeContext,
): Promise<string> {
  await getSealKeyIds(config);
  refuseNotEmpty(out);
  const from = await openingSources(sourceContextOf(config, context.random));
  const numbers = { threshold, shares: recipients.length };
  const key = await makeRecoveryKey({ ...numbers, random: context.random });
  try {
    const prepared = await withDatabaseToRead(config, async (db) => {
      const prepared = await prepareSlot(db, { from, to: key.source, primitives, random: context.random });
      await refuseOlderSet(db, config, prepared.opened);
      return prepared;
    });
    const { opened, sealKeyId: keyId } = prepared;
    const files = await encryptShares(recipients, key.shares, { keyId, ...numbers });
    context.onStep?.("verified");
    if (mode === "dry-run") {
      return `dry run: the shares of ${recipients.length} holders can be made, nothing was changed\n`;
    }
    const slot = { ...prepared.slot!, ...numbers, share_hashes: hashShares(key.shares) };
    const written = await writeShares(out, files, context);
    let id: string | undefined;
    try {
      await changeSlots(config, opened, async (tx, services) => {
        id = await addSlot(tx, services, slot, context).catch(refuseFull);
      }, context);
    } catch (error) {
      for (const path of written) await rm(path, { force: true });
      throw error;
    }
    return `key   ${keyId}\nslot  ${id}\n${written.map((path) => `share ${path}\n`).join("")}` +
      `added: any ${threshold} of these ${recipients.length} holders can open the seed; send each share to its holder\n`;
  } finally {
    key.forget();
  }
}

async function encryptShares(
  recipients: readonly string[],
  shares: readonly Uint8Array[],
  facts: { readonly keyId: string; readonly threshold: number; readonly shares: number },
): Promise<readonly Uint8Array[]> {
  try {
    return await Promise.all(
      recipients.map((recipient, index) =>
        encryptTo(recipient, writeShare({ ...facts, number: index + 1, share: shares[index]! }))
      ),
    );
  } catch (error) {
    if (!(error instanceof RecoveryFault)) throw error;
    throw new StartRefusal(`The shares cannot be encrypted: ${error.message}`, { cause: error });
  }
}

async function writeShares(
  out: string,
  files: readonly Uint8Array[],
  { random }: ChangeContext,
): Promise<readonly string[]> {
  await mkdir(out, { recursive: true, mode: 0o700 });
  const paths = files.map((_, index) => join(out, `share-${index + 1}.age`));
  for (const [index, path] of paths.entries()) {
    await replaceFile(path, files[index]!, random(8).toHex());
  }
  return paths;
}
