import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/**
 * Shared lock (`use`) or exclusive lock (`replace`, to swap the file) on a database's name. SQLite's own locks do not
 * serve: they belong to a file, and `replace` changes the file.
 */
export type LockMode = "use" | "replace";

/** A lock on a database's name. It ends with the process, even if the process is killed. */
export interface DatabaseLock {
  release(): void;
}

const LOCK_STATEMENTS = {
  use: ["begin", "select count(*) from sqlite_master"],
  replace: ["begin exclusive"],
} as const satisfies Record<LockMode, readonly string[]>;

/**
 * Locks a database's name, or returns undefined if another process has a conflicting lock. Creates and keeps an empty
 * file `<path>.lock` and locks it through SQLite, which works alike on both runtimes. The folder must exist.
 * Advisory: does not exclude programs that do not take the lock.
 */
export function tryLockDatabase(path: string, mode: LockMode): DatabaseLock | undefined {
  const lockPath = `${path}.lock`;
  makeEmptyFile(lockPath);
  const raw = new DatabaseSync(lockPath);
  try {
    raw.exec("pragma busy_timeout = 0");
    // A prepared statement, so that the row is read: reading takes the lock.
    for (const sql of LOCK_STATEMENTS[mode]) raw.prepare(sql).all();
  } catch (error) {
    raw.close();
    if (error instanceof Error && error.message.includes("locked")) return undefined;
    throw error;
  }
  return { release: () => raw.close() };
}

function makeEmptyFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") throw error;
  }
}
