import process from "node:process";
import { type AccountExport, readAccountExport } from "../audit/account-export.ts";
import { formatAcceptedBreak } from "../audit/accepted-break.ts";
import type { Soundness } from "../audit/examine-database.ts";
import type { AuditHead } from "../audit/stored-entry.ts";
import { type Environment, readConfig } from "../config/config.ts";
import { printable } from "../lib/text.ts";
import { readArguments } from "./process/arguments.ts";
import { getSealKeyIds, type StorageConfig } from "./open/data-folder.ts";
import { withDatabaseLock } from "./open/database-lock.ts";
import { readInputText } from "./files/input-file.ts";
import { openTee } from "./open/tee.ts";
import { createProgress, showPart } from "./process/progress.ts";
import { random } from "./process/random.ts";
import { examineDatabase } from "./open/examine-database.ts";
import { StartRefusal, UsageError } from "./process/refusal.ts";
import { openingKeyOf, refuseOtherKey } from "./open/vault.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { printResult } from "./process/print.ts";

export const VERIFY_AUDIT_USAGE = "verify-audit [--head ENTRY:HASH] [--export FILE]";

/** The exit code if the log is not what the service wrote, or has lost entries. */
const EXIT_FAULTY = 1;

/** Enough for hundreds of thousands of an account's entries. */
const MOST_EXPORT = 256 * 1024 * 1024;

export interface AuditReferences {
  readonly expectedHead?: AuditHead | undefined;
  readonly exported?: AccountExport | undefined;
}

/** Reads the whole audit log of a database that may be in use. Writes nothing. */
export async function inspectAudit(
  storage: StorageConfig,
  { expectedHead, exported }: AuditReferences,
): Promise<Soundness> {
  const { databasePath } = storage;
  const opened = await openTee(storage, { absentKey: "refuse", random });
  const progress = createProgress(0);
  try {
    const key = await openingKeyOf(storage, opened, random);
    const found = await examineDatabase(storage, {
      parts: ["chain"],
      key,
      expectedHead,
      exported,
      onProgress: showPart(progress),
    });
    for (const { cause } of found.faults) refuseOtherKey(cause, opened.keySource, databasePath);
    return found;
  } finally {
    progress.end();
  }
}

/** Parses `ENTRY:HASH`, as printed by this command and the page of events. Throws `UsageError`. */
export function readHead(text: string): AuditHead {
  const [, seq, hash] = /^(0|[1-9]\d{0,14}):([0-9a-fA-F]{64})$/.exec(text) ?? [];
  if (seq === undefined || hash === undefined) {
    throw new UsageError("--head must be ENTRY:HASH, a number and 64 hexadecimal digits");
  }
  return { seq: Number(seq), hash: Uint8Array.fromHex(hash) };
}

async function readExportFile(path: string): Promise<AccountExport> {
  const text = await readInputText(path, MOST_EXPORT).catch((error: unknown) => {
    if (error instanceof StartRefusal) throw error;
    throw new UsageError(`--export ${printable(path)} cannot be read`);
  });
  const exported = readAccountExport(text);
  if (exported !== undefined) return exported;
  throw new UsageError(`--export ${printable(path)} is not an export of an account, or is incomplete`);
}

function describeExport({ accountId, head, entries }: AccountExport, isSound: boolean): string {
  const verdict = isSound
    ? "all of them are in the log, and none of the account's up to its head is missing"
    : "see the faults";
  return `export         ${entries.length} entries of ${
    printable(accountId)
  }, up to ${head.seq}: ${verdict}\n`;
}

function write({ chain, faults }: Soundness, { expectedHead, exported }: AuditReferences): string {
  const facts = chain === undefined
    ? "the log was not read, because its contents could not be trusted\n"
    : `sound entries  ${chain.entries}\nhead           ${chain.entries}:${chain.head.toHex()}\n` +
      chain.acceptedBreaks.map((part) => `but            ${formatAcceptedBreak(part)}\n`).join("");
  const hint = expectedHead === undefined && exported === undefined
    ? "no head was given: missing newest entries would not be noticed\n"
    : "";
  const verdict = faults.length === 0
    ? "all is well\n"
    : faults.map(({ text }) => `fault: ${text}\n`).join("");
  return facts + (exported === undefined ? "" : describeExport(exported, faults.length === 0)) + hint +
    verdict;
}

/** Exits 0 if the log is sound and contains the given head, 1 otherwise. */
export async function verify(environment: Environment, list: readonly string[]): Promise<void> {
  const { values } = readArguments(list, { values: ["head", "export"] });
  const [text, file] = [values.get("head"), values.get("export")];
  const exported = file === undefined ? undefined : await readExportFile(file);
  const expectedHead = { expectedHead: text === undefined ? undefined : readHead(text), exported };
  const config = readConfig(withSecretFiles(environment));
  await getSealKeyIds(config);
  const found = await withDatabaseLock(config, "use", () => inspectAudit(config, expectedHead));
  printResult(write(found, expectedHead));
  if (found.faults.length > 0) process.exitCode = EXIT_FAULTY;
}
