import { backup, DatabaseSync } from "node:sqlite";
import { isDamaged } from "./error.ts";
import { BUSY_TIMEOUT } from "./pragmas.ts";

/** More pages than a file can have: all are copied in one step, in one read transaction. */
const ALL_PAGES = 0x7fff_ffff;

/**
 * Copies a database that other processes may be writing, as it is at one moment, over the empty file at `to`. Neither
 * waits for the other. The copy is one file without a log and not on the disk yet: the caller syncs it.
 */
export async function copySqlite(from: string, to: string): Promise<void> {
  // Not by VACUUM INTO: Deno lets a program attach no file unless it has every permission.
  const source = new DatabaseSync(from, { readOnly: true });
  try {
    source.exec(`pragma busy_timeout = ${BUSY_TIMEOUT}`);
    await backup(source, to, { rate: ALL_PAGES });
  } finally {
    source.close();
  }
  const settled = settleSqlite(to);
  if (settled !== "settled") throw new TypeError(`Cannot settle copy of database: ${settled}`);
}

/** What became of a database file's log. */
export type Settled =
  /** It is merged: the one file holds everything, on the disk. */
  | "settled"
  /** Another connection has the database open. */
  | "in_use"
  /** SQLite cannot read the file. */
  | "damaged";

/** Merges a database's write-ahead log into its file and removes it, so that the file can be moved alone. */
export function settleSqlite(path: string): Settled {
  let raw: DatabaseSync | undefined;
  try {
    raw = new DatabaseSync(path);
    // As statements: on Deno an error of exec() has no code.
    raw.prepare("pragma busy_timeout = 0").all();
    raw.prepare("pragma synchronous = full").all();
    const row = raw.prepare("pragma journal_mode = delete").get();
    return row?.["journal_mode"] === "delete" ? "settled" : "in_use";
  } catch (error) {
    if (error instanceof Error && error.message.includes("locked")) return "in_use";
    if (isDamaged(error)) return "damaged";
    throw error;
  } finally {
    raw?.close();
  }
}
