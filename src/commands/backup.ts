import { lstatSync, statSync } from "node:fs";
import { link, open, rm, stat, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { type Environment, readConfig } from "../config/config.ts";
import { type AuditEnd, readAuditEnd } from "../db/integrity-check.ts";
import { closeDatabase, connectDatabase } from "../db/database.ts";
import type { RandomBytes } from "../lib/id.ts";
import { copySqlite } from "../runtime/sqlite/backup.ts";
import { openSqliteToRead } from "../runtime/sqlite/read.ts";
import { readArguments } from "./process/arguments.ts";
import { getSealKeyIds, type StorageConfig } from "./open/data-folder.ts";
import { syncFile, syncFolderOf } from "./files/durable-file.ts";
import { sizeOf, sqliteLocation } from "./open/database.ts";
import { withDatabaseLock } from "./open/database-lock.ts";
import { copyFromServer } from "./open/portable-copy.ts";
import { createProgress, type Progress, showPart } from "./process/progress.ts";
import { random } from "./process/random.ts";
import { examineDatabase, refuseUnsound } from "./open/examine-database.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { StartRefusal } from "./process/refusal.ts";
import { printResult } from "./process/print.ts";

export const BACKUP_USAGE = "backup FILE";

/** An operator who stores the head elsewhere can later check that a database still has these entries. */
export interface BackupResult {
  readonly bytes: number;
  /** The keys of the slots that open it. */
  readonly sealKeyIds: readonly string[];
  readonly auditEntries: number;
  /** The last entry, in the form of `verify-audit --head`. */
  readonly auditHead: string;
}

function refuseExisting(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return;
  throw new StartRefusal(`${file} already exists: name a new file`);
}

function refuseNoFolder(file: string): void {
  const folder = dirname(file);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new StartRefusal(`There is no folder ${folder} for ${basename(file)}: create it first`);
}

interface CommandContext {
  readonly random: RandomBytes;
  readonly progress?: Progress;
}

/**
 * Copies a snapshot of the database on either engine into a new SQLite file of mode 0600. The file appears whole and
 * synced or not at all. Refuses a database that is not sound, because no restore would accept it. Does not check what
 * needs the sealing key. A service may be running. The seed stays sealed, so that the file opens no keys without the
 * sealing key. E-mail addresses and labels are readable.
 */
export async function backupDatabase(
  storage: StorageConfig,
  file: string,
  { random, progress }: CommandContext,
): Promise<BackupResult> {
  refuseExisting(file);
  refuseNoFolder(file);
  await getSealKeyIds(storage);
  const draft = `${file}.${random(8).toHex()}.tmp`;
  try {
    await (await open(draft, "wx", 0o600)).close();
    progress?.show("copying the database");
    if (storage.postgres === undefined) await copySqlite(storage.databasePath, draft);
    else await copyFromServer(storage, draft, progress);
    const facts = await readFacts(draft, storage, progress);
    progress?.show("writing the copy to the disk");
    await syncFile(draft);
    await publish(draft, file);
    return facts;
  } finally {
    for (const sibling of ["", "-journal", "-wal", "-shm"]) await rm(draft + sibling, { force: true });
  }
}

async function readFacts(
  draft: string,
  storage: StorageConfig,
  progress: Progress | undefined,
): Promise<BackupResult> {
  const sealKeyIds = await getSealKeyIds({ ...storage, ...sqliteLocation(draft) });
  const onProgress = progress && showPart(progress);
  refuseUnsound(
    "The database",
    await examineDatabase(sqliteLocation(draft), { parts: ["pages"], onProgress }),
  );
  const { entries, head } = await readEnd(draft);
  return { bytes: (await stat(draft)).size, sealKeyIds, auditEntries: entries, auditHead: head };
}

async function readEnd(draft: string): Promise<AuditEnd> {
  const db = connectDatabase(openSqliteToRead(draft));
  try {
    return await readAuditEnd(db);
  } finally {
    await closeDatabase(db);
  }
}

/** Links the draft to the file. Unlike rename, link never replaces a file. */
async function publish(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as { code?: unknown }).code === "EEXIST") refuseExisting(file);
    throw error;
  }
  await unlink(draft);
  await syncFolderOf(file);
}

export async function backup(environment: Environment, list: readonly string[]): Promise<void> {
  const [file] = readArguments(list, { operands: ["FILE"] }).operands as [string];
  const config = readConfig(withSecretFiles(environment));
  await getSealKeyIds(config);
  const progress = createProgress(sizeOf(config) ?? 0);
  const result = await withDatabaseLock(
    config,
    "use",
    () => backupDatabase(config, file, { random, progress }),
  ).finally(() => progress.end());
  printResult(
    `backup       ${file} (${result.bytes} bytes)\nsealing key  ${result.sealKeyIds.join(" ")}\n` +
      `audit log    ${result.auditEntries} entries\nhead         ${result.auditHead}\n` +
      "store the head apart from the file, for `verify-audit --head`\n",
  );
}
