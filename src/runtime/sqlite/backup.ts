import { backup, DatabaseSync } from "node:sqlite";
import { isDamaged } from "./error.ts";
import { BUSY_TIMEOUT } from "./pragmas.ts";

/** More pages than a file can have, so that one step in one read transaction copies all. */
const ALL_PAGES = 0x7fff_ffff;

/**
 * Copies a snapshot of a database over the empty file at `to`. Does not block writers and is not blocked by them. The
 * copy is one file without a log. Does not sync it: the caller must.
 */
export async function copySqlite(from: string, to: string): Promise<void> {
  // Not VACUUM INTO: Deno allows no attached file without all permissions.
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

export type Settled =
  /** The database is one file, written to the disk. */
  | "settled"
  /** Another connection has the database open. */
  | "in_use"
  | "damaged";

/** Merges a database's write-ahead log into its file and removes the log, so that the file can be moved alone. */
export function settleSqlite(path: string): Settled {
  let raw: DatabaseSync | undefined;
  try {
    raw = new DatabaseSync(path);
    // Prepared statements: on Deno an error of exec() has no code.
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
