import { acknowledgeRollback } from "../../audit/rollback.ts";
import type { Examination, Soundness } from "../../audit/examine-database.ts";
import { closeDatabase, openDatabase } from "../../db/database.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { printable } from "../../lib/text.ts";
import type { Instant } from "../../lib/time.ts";
import { openSqlite, readSealKeyIds } from "../../runtime/sqlite/open.ts";
import { isDamaged } from "../../runtime/sqlite/error.ts";
import type { Vault } from "../../vault/vault.ts";
import type { StorageConfig } from "./data-folder.ts";
import { sqliteLocation } from "./database.ts";
import { openTee } from "./tee.ts";
import { examineDatabase, examineOpen, type FileExamination, refuseUnsound } from "./examine-database.ts";
import { requireSlotSet, slotServicesOf } from "./slots.ts";
import { isOtherKey, openingKeyOf } from "./vault.ts";
import { StartRefusal } from "../process/refusal.ts";

export interface CopySummary {
  /** The keys of its slots. */
  readonly sealKeyIds: readonly string[];
  readonly accounts: number;
  readonly keys: number;
  readonly auditEntries: number;
  /** The last entry, in the form of `verify-audit --head`. */
  readonly auditHead: string;
}

export interface VerifiedCopy {
  readonly summary: CopySummary;
  readonly vault: Vault;
}

interface CommandContext {
  readonly now: Instant;
  readonly random: RandomBytes;
  readonly onProgress?: Examination["onProgress"];
}

/**
 * Verifies that a service with this configuration could start with the copy at `path`, and updates the copy's schema.
 * Examines all parts before and after the migration. Appends an entry on the restore to the copy's audit log. Throws
 * `StartRefusal` or another refusal if it is not sound. Changes only the copy, which belongs to the caller.
 */
export async function verifyCopy(
  path: string,
  storage: StorageConfig,
  { now, random, onProgress }: CommandContext,
): Promise<VerifiedCopy> {
  const sealKeyIds = await readBackup(path);
  const opened = await openTee(storage, { absentKey: "refuse", random });
  const examination: FileExamination = {
    parts: ["pages", "rows", "chain"],
    key: await openingKeyOf(storage, opened, random),
    onProgress,
  };
  const before = await examineDatabase(sqliteLocation(path), examination);
  if (before.faults.some(({ cause }) => isOtherKey(cause))) {
    throw new StartRefusal(
      `The backup was sealed under another key than that of ${opened.keySource.place}: put that key there, restore, and` +
        " reseal to the current one",
    );
  }
  refuseUnsound("The backup", before);
  const db = await openDatabase(await openSqlite(path));
  try {
    await requireSlotSet(db, slotServicesOf(before.seed!, now), before.seed!, now);
    const verified = before.schema!.pending.length === 0
      ? before
      : await examineOpen(db, sqliteLocation(path), examination);
    refuseUnsound("The backup, brought up to date,", verified);
    await acknowledgeRollback(db, verified.vault!, { cause: "restore", brokenAt: null, now });
    return { summary: { sealKeyIds, ...summaryOf(verified) }, vault: verified.vault! };
  } finally {
    await closeDatabase(db);
  }
}

async function readBackup(path: string): Promise<readonly string[]> {
  try {
    const found = await readSealKeyIds(path);
    if (found === "edited") {
      throw new StartRefusal("The backup's sealed seed names no sealing key: it was edited");
    }
    if (typeof found === "string") throw new StartRefusal("The backup is no database of this service");
    return found.sealKeyIds;
  } catch (cause) {
    if (!isDamaged(cause)) throw cause;
    throw new StartRefusal(`The backup is damaged: ${printable((cause as Error).message)}`, { cause });
  }
}

function summaryOf({ rows, chain }: Soundness): Omit<CopySummary, "sealKeyIds"> {
  const rowsOf = (name: string): number => rows!.find(({ kind }) => kind === name)!.rows;
  return {
    accounts: rowsOf("account"),
    keys: rowsOf("ethereum_key"),
    auditEntries: chain!.entries,
    auditHead: `${chain!.entries}:${chain!.head.toHex()}`,
  };
}
