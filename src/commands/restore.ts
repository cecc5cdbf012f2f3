import { existsSync, statSync } from "node:fs";
import { chmod, copyFile, link, mkdir, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Environment, readConfig } from "../config/config.ts";
import { readAuditEnd } from "../db/integrity-check.ts";
import { connectDatabase } from "../db/database.ts";
import type { RandomBytes } from "../lib/id.ts";
import { type Instant, toIso } from "../lib/time.ts";
import { settleSqlite } from "../runtime/sqlite/backup.ts";
import { openSqliteToRead } from "../runtime/sqlite/read.ts";
import { readArguments } from "./process/arguments.ts";
import { type StorageConfig, writeMarker } from "./open/data-folder.ts";
import { isInMemory, readDatabaseSealKeyIds } from "./open/database.ts";
import { syncFile, syncFolderOf } from "./files/durable-file.ts";
import { withDatabaseLock } from "./open/database-lock.ts";
import { type CopySummary, verifyCopy } from "./open/verify-copy.ts";
import { copyToServer, notEmpty } from "./open/portable-copy.ts";
import { createProgress, type Progress, showPart } from "./process/progress.ts";
import { random } from "./process/random.ts";
import { withSecretFiles } from "./files/secret-files.ts";
import { StartRefusal } from "./process/refusal.ts";
import { printResult } from "./process/print.ts";

export const RESTORE_USAGE = "restore FILE [--dry-run]";

/** The steps after which a process may die. */
export const RESTORE_STEPS = ["copied", "verified", "settled", "kept", "replaced", "marked"] as const;

export type RestoreStep = typeof RESTORE_STEPS[number];

export interface RestoreResult {
  readonly summary: CopySummary;
  /** Path of the replaced database; undefined if there was none, and in a dry run. */
  readonly previousAt: string | undefined;
  /** Audit entries of the replaced database; undefined if there was none or it is unreadable. */
  readonly replacedEntries: number | undefined;
}

interface CommandContext {
  readonly now: Instant;
  readonly random: RandomBytes;
  readonly onStep?: (step: RestoreStep) => void;
  readonly progress?: Progress;
}

/** SQLite's files beside a database. */
const SIBLINGS = ["-wal", "-journal", "-shm"];

/**
 * Replaces the database by a backup, after verifying a copy of it with `verifyCopy`. Keeps the replaced database
 * beside it under a dated name. If the process dies, either the old or the new database is complete. Refuses while a
 * service or command uses the database. A dry run only verifies, and may run beside a service. On a server it fills
 * an empty database, whole or not at all.
 */
export async function restoreDatabase(
  storage: StorageConfig,
  file: string,
  mode: "dry-run" | "write",
  context: CommandContext,
): Promise<RestoreResult> {
  refuseNoBackup(file, storage);
  if (storage.postgres !== undefined) {
    if (await readDatabaseSealKeyIds(storage) !== "absent") throw notEmpty(storage);
    await mkdir(storage.dataDir, { recursive: true, mode: 0o700 });
  }
  // In the same folder, so that a rename replaces the database in one step.
  const neighbour = storage.postgres === undefined
    ? storage.databasePath
    : join(storage.dataDir, "holdfast.db");
  // Locked even for a server, because two restores in one folder would remove each other's drafts.
  const lockedPlace = { ...storage, databasePath: neighbour, postgres: undefined };
  return await withDatabaseLock(lockedPlace, mode === "write" ? "replace" : "use", async () => {
    const draft = `${neighbour}.restore-${context.random(8).toHex()}`;
    if (mode === "write") await removeDrafts(neighbour);
    try {
      return await restoreBy(draft, { storage, file, mode, context });
    } finally {
      await removeDraft(draft);
    }
  });
}

function refuseNoBackup(file: string, storage: StorageConfig): void {
  const { databasePath, postgres } = storage;
  if (isInMemory(storage)) {
    throw new StartRefusal("The database is in memory: set DATABASE_URL or DATA_DIR to the service's own");
  }
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() !== true) throw new StartRefusal(`There is no file ${file}`);
  const present = postgres === undefined ? statSync(databasePath, { throwIfNoEntry: false }) : undefined;
  if (present !== undefined && present.ino === stats.ino && present.dev === stats.dev) {
    throw new StartRefusal(`${file} is the database itself`);
  }
  const log = ["-wal", "-journal"].find((sibling) => sizeOf(file + sibling) > 0);
  if (log !== undefined) {
    throw new StartRefusal(`${file} has a log ${file}${log} beside it: restore a file that \`backup\` made`);
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

async function removeDraft(draft: string): Promise<void> {
  for (const sibling of ["", ...SIBLINGS]) await rm(draft + sibling, { force: true });
}

/** Removes the drafts of killed restores. The caller must have locked the database. */
async function removeDrafts(databasePath: string): Promise<void> {
  const prefix = `${basename(databasePath)}.restore-`;
  const names = (await readdir(dirname(databasePath))).filter((name) => name.startsWith(prefix));
  for (const name of names) await rm(join(dirname(databasePath), name), { force: true });
}

async function restoreBy(
  draft: string,
  { storage, file, mode, context }: {
    readonly storage: StorageConfig;
    readonly file: string;
    readonly mode: "dry-run" | "write";
    readonly context: CommandContext;
  },
): Promise<RestoreResult> {
  const { now, random, onStep = () => {}, progress } = context;
  const { dataDir, databasePath } = storage;
  progress?.show("copying the backup");
  await copyFile(file, draft);
  await chmod(draft, 0o600);
  onStep("copied");
  const { summary, vault } = await verifyCopy(draft, storage, {
    now,
    random,
    onProgress: progress && showPart(progress),
  });
  if (settleSqlite(draft) !== "settled") throw new TypeError("Cannot settle restored database");
  await syncFile(draft);
  onStep("verified");
  if (storage.postgres !== undefined) {
    if (mode === "write") {
      await copyToServer(storage, draft, vault, progress);
      onStep("replaced");
      await writeMarker(dataDir, summary.sealKeyIds[0]!, random);
      onStep("marked");
    }
    return { summary, previousAt: undefined, replacedEntries: undefined };
  }
  const replacedEntries = await countEntries(databasePath);
  if (mode === "dry-run") return { summary, previousAt: undefined, replacedEntries };
  const previousAt = await keepOld(storage, {
    now,
    onStep,
    mark: () => writeMarker(dataDir, summary.sealKeyIds[0]!, random),
  });
  onStep("kept");
  await rename(draft, databasePath);
  await syncFolderOf(databasePath);
  onStep("replaced");
  await writeMarker(dataDir, summary.sealKeyIds[0]!, random);
  onStep("marked");
  return { summary, previousAt, replacedEntries };
}

/** Returns the number of audit entries of the present database, for the report only: ignores a damaged one. */
async function countEntries(databasePath: string): Promise<number | undefined> {
  if (sizeOf(databasePath) === 0) return undefined;
  try {
    const db = connectDatabase(openSqliteToRead(databasePath));
    try {
      return (await readAuditEnd(db)).entries;
    } finally {
      await db.destroy();
    }
  } catch {
    return undefined;
  }
}

/**
 * Keeps the present database under a second, dated name. Merges a readable one into a single file first, so that the
 * new one can replace it in one step. Moves an unreadable one away with its log. The marker, written before, makes
 * every start refuse until the new one is in place.
 */
async function keepOld(
  { databasePath }: StorageConfig,
  { now, onStep, mark }: {
    readonly now: Instant;
    readonly onStep: (step: RestoreStep) => void;
    readonly mark: () => Promise<void>;
  },
): Promise<string | undefined> {
  const isThere = ["", ...SIBLINGS].some((sibling) => sizeOf(databasePath + sibling) > 0);
  if (!isThere) return undefined;
  const settled = sizeOf(databasePath) > 0 ? settleSqlite(databasePath) : "damaged";
  if (settled === "in_use") {
    throw new StartRefusal(`The database ${databasePath} is open in another program: close that first`);
  }
  onStep("settled");
  const previousAt = freeName(`${databasePath}.replaced-${toIso(now).replaceAll(":", "-")}`);
  if (settled === "settled") await link(databasePath, previousAt);
  else {
    await mark();
    await moveAll(databasePath, previousAt);
  }
  await syncFolderOf(databasePath);
  return previousAt;
}

function freeName(name: string): string {
  for (let count = 1;; count++) {
    const candidate = count === 1 ? name : `${name}-${count}`;
    if (["", ...SIBLINGS].every((sibling) => !existsSync(candidate + sibling))) return candidate;
  }
}

async function moveAll(from: string, to: string): Promise<void> {
  for (const sibling of ["", ...SIBLINGS]) {
    if (existsSync(from + sibling)) await rename(from + sibling, to + sibling);
  }
}

function report(mode: "dry-run" | "write", { summary, previousAt, replacedEntries }: RestoreResult): string {
  const lines = [
    `sealing key  ${summary.sealKeyIds.join(" ")}`,
    `holds        ${summary.accounts} accounts, ${summary.keys} keys`,
    `audit log    ${summary.auditEntries} entries`,
    `head         ${summary.auditHead}`,
  ];
  if (replacedEntries !== undefined) lines.push(`present      ${replacedEntries} audit entries`);
  if (previousAt !== undefined) lines.push(`kept         ${previousAt}`);
  lines.push(
    mode === "write" ? "restored" : "dry run: the backup opens and is complete, nothing was changed",
  );
  return lines.join("\n") + "\n";
}

export async function restore(environment: Environment, list: readonly string[]): Promise<void> {
  const given = readArguments(list, { flags: ["dry-run"], operands: ["FILE"] });
  const mode = given.flags.has("dry-run") ? "dry-run" : "write";
  const config = readConfig(withSecretFiles(environment));
  const file = given.operands[0]!;
  const progress = createProgress(sizeOf(file));
  const result = await restoreDatabase(config, file, mode, { now: Date.now(), random, progress })
    .finally(() => progress.end());
  printResult(report(mode, result));
}
