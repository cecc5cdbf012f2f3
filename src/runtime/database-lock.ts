import { closeSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/**
 * Whether a process uses a database (any number may) or is about to put another in its place (only one may, with no
 * user). SQLite's own locks cannot say it: they belong to a file, and the file is what changes.
 */
export type HoldKind = "use" | "replace";

/** A hold on a database's name. It ends with the process, however that ends. */
export interface DatabaseHold {
  release(): void;
}

const HOLD = {
  use: ["begin", "select count(*) from sqlite_master"],
  replace: ["begin exclusive"],
} as const satisfies Record<HoldKind, readonly string[]>;

/**
 * Holds the name of a database file by a lock on an empty file `<path>.lock` beside it, which is made and left there:
 * SQLite is what locks files alike on both runtimes. Undefined when another process holds it in a way that excludes
 * this. The folder must exist. Does not keep programs out that do not ask.
 */
export function holdDatabase(path: string, kind: HoldKind): DatabaseHold | undefined {
  const lockPath = `${path}.lock`;
  makeEmptyFile(lockPath);
  const raw = new DatabaseSync(lockPath);
  try {
    raw.exec("pragma busy_timeout = 0");
    // Through a statement, so that the row is read: that is what takes the lock.
    for (const sql of HOLD[kind]) raw.prepare(sql).all();
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
