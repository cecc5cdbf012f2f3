import { statSync } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../config/config.ts";
import { closeDatabase, connectDatabase } from "../db/database.ts";
import { migrate, readSchema } from "../db/migrate.ts";
import { MIGRATION_NAMES } from "../db/migrations/migrations.ts";
import { isDamaged } from "../runtime/sqlite/error.ts";
import { openSqlite, readSealKeyIds } from "../runtime/sqlite/open.ts";
import { examineOpen, refuseUnsound } from "./open/examine-database.ts";
import { sqliteLocation } from "./open/database.ts";
import { readArguments } from "./process/arguments.ts";
import { printResult } from "./process/print.ts";
import { StartRefusal } from "./process/refusal.ts";

export const UPGRADE_CHECK_USAGE = "upgrade-check FILE";

/**
 * Upgrades a copy of a database file to this version, in a temporary folder that it removes. Calls `onStep` with a line
 * for each step. Does not change the file or its folder. Needs no sealing key, and so verifies no row and no entry.
 * Throws `StartRefusal` if the file is no database of the service, is damaged, or was written by a newer
 * version.
 */
export async function checkUpgrade(file: string, onStep: (line: string) => void): Promise<void> {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new StartRefusal(`There is no file ${file}`);
  }
  const folder = await mkdtemp(join(tmpdir(), "holdfast-upgrade-"));
  try {
    const copy = join(folder, "holdfast.db");
    await copyFile(file, copy);
    // A copy of a database that was not closed has its newest pages in this log.
    if (statSync(`${file}-wal`, { throwIfNoEntry: false }) !== undefined) {
      await copyFile(`${file}-wal`, `${copy}-wal`);
    }
    await requireOurs(file, copy);
    onStep(`copied ${statSync(copy).size} bytes; ${file} is not changed`);
    await upgrade(copy, onStep);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function requireOurs(file: string, copy: string): Promise<void> {
  try {
    const look = await readSealKeyIds(copy);
    if (typeof look === "object") return;
  } catch (cause) {
    if (!isDamaged(cause)) throw cause;
    throw new StartRefusal(`${file} is damaged`, { cause });
  }
  throw new StartRefusal(`${file} is no database of this service`);
}

async function upgrade(copy: string, onStep: (line: string) => void): Promise<void> {
  const db = connectDatabase(await openSqlite(copy));
  try {
    const location = sqliteLocation(copy);
    const before = await examineOpen(db, location, { parts: ["pages"] });
    refuseUnsound("The database", before);
    const { applied, pending } = await readSchema(db);
    onStep(`the schema is ${applied.at(-1)}, and its pages are sound`);
    for (const name of pending) {
      await migrate(db, MIGRATION_NAMES.slice(0, MIGRATION_NAMES.indexOf(name) + 1));
      onStep(`applied ${name}`);
    }
    if (pending.length === 0) return onStep("this version changes nothing in it");
    refuseUnsound("The database, brought up to date,", await examineOpen(db, location, { parts: ["pages"] }));
    onStep("the database is sound after the upgrade");
  } finally {
    await closeDatabase(db);
  }
}

/** Runs the `upgrade-check` command. Reads no configuration. */
export async function upgradeCheck(_environment: Environment, list: readonly string[]): Promise<void> {
  const [file] = readArguments(list, { operands: ["FILE"] }).operands as [string];
  await checkUpgrade(file, (line) => printResult(`${line}\n`));
}
