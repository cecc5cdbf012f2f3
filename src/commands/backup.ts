import { lstatSync } from "node:fs";
import { link, open, rm, stat, unlink } from "node:fs/promises";
import process from "node:process";
import { readConfig } from "../config.ts";
import type { Environment } from "../config.ts";
import { findDamage, readAuditHead } from "../db/check.ts";
import { connectDatabase } from "../db/database.ts";
import type { RandomBytes } from "../lib/id.ts";
import { copySqlite } from "../runtime/sqlite-backup.ts";
import { openSqliteToRead } from "../runtime/sqlite-read.ts";
import { readArguments } from "./arguments.ts";
import { getSealKeyId } from "./wiring/data-folder.ts";
import type { Places } from "./wiring/data-folder.ts";
import { syncFile, syncFolderOf } from "./wiring/durable-file.ts";
import { whileHeld } from "./wiring/hold.ts";
import { random } from "./wiring/random.ts";
import { StartRefusal } from "./refusal.ts";

export const BACKUP_USAGE = "backup FILE";

/** What a backup holds. Whoever keeps the head apart can tell later whether a database still has these entries. */
export interface BackupResult {
  readonly bytes: number;
  readonly sealKeyId: string;
  readonly auditEntries: number;
  /** Hash of the last entry, hex. */
  readonly auditHead: string;
}

function refuseExisting(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return;
  throw new StartRefusal(`${file} is there already: name a new file`);
}

/**
 * Copies the database, as it is at one moment, into a new file of mode 0600 that appears whole and on the disk or not
 * at all. A service may be running. The seed in it stays sealed: the file opens nothing without the sealing key, which
 * is not needed here. Its e-mail addresses and labels are readable.
 */
export async function backupDatabase(
  places: Places,
  file: string,
  { random }: { readonly random: RandomBytes },
): Promise<BackupResult> {
  refuseExisting(file);
  await getSealKeyId(places);
  const draft = `${file}.${random(8).toHex()}.tmp`;
  try {
    await (await open(draft, "wx", 0o600)).close();
    await copySqlite(places.databasePath, draft);
    const facts = await readFacts(draft, places);
    await syncFile(draft);
    await publish(draft, file);
    return facts;
  } finally {
    for (const sibling of ["", "-journal", "-wal", "-shm"]) await rm(draft + sibling, { force: true });
  }
}

async function readFacts(draft: string, places: Places): Promise<BackupResult> {
  const sealKeyId = await getSealKeyId({ ...places, databasePath: draft });
  const db = connectDatabase(openSqliteToRead(draft));
  try {
    const damage = await findDamage(db);
    if (damage.length > 0) throw new StartRefusal(`The database is damaged: ${damage.join("; ")}`);
    const { entries, hash } = await readAuditHead(db);
    return { bytes: (await stat(draft)).size, sealKeyId, auditEntries: entries, auditHead: hash.toHex() };
  } finally {
    await db.destroy();
  }
}

/** Unlike rename, link never replaces what is there. */
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

/** The `backup` command. */
export async function backup(environment: Environment, list: readonly string[]): Promise<void> {
  const [file] = readArguments(list, { operands: ["FILE"] }).operands as [string];
  const config = readConfig(environment);
  await getSealKeyId(config);
  const result = await whileHeld(config.databasePath, "use", () => backupDatabase(config, file, { random }));
  process.stdout.write(
    `backup       ${file} (${result.bytes} bytes)\nsealing key  ${result.sealKeyId}\n` +
      `audit log    ${result.auditEntries} entries, head ${result.auditHead}\n`,
  );
}
