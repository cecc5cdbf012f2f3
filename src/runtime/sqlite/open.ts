import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { type Engine, type SealKeyIdsLook, seedTableOf, toSealKeyIds } from "../../db/engine.ts";
import { explain } from "./error.ts";

/** The path of a database that lives as long as its connection. */
export const IN_MEMORY = ":memory:";

/**
 * Opens an engine over a SQLite file or memory. Creates the file with mode 0600 if it is missing; the folder must
 * exist. Uses a write-ahead log, an fsync in each commit, foreign keys, and transactions that take the write lock
 * first, on both runtimes. Throws `DatabaseError` if the file or its disk fails.
 */
export async function openSqlite(path: string): Promise<Engine> {
  if (path !== IN_MEMORY) makePrivateFile(path);
  try {
    if (process.versions["bun"] !== undefined) {
      return await (await import("./bun.ts")).openBunSqlite(path);
    }
    return await (await import("./deno.ts")).openNodeSqlite(path);
  } catch (error) {
    throw explain(error) ?? error;
  }
}

/** Creates the file with mode 0600, or sets that mode. SQLite gives the other files the same mode. */
function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") throw error;
    // By path: closing a descriptor of a file that this process has open elsewhere would drop its locks.
    chmodSync(path, 0o600);
  }
}

/**
 * Reads the id of the sealing key that a database file needs. Does not change the file or a write-ahead log left by a
 * killed process. Creates an empty log and its index if there are none. (SQLite could avoid that with a URI, which
 * Deno takes for a path unless it has all permissions.) Does not check that the seed opens. Throws if the file is
 * unreadable or damaged.
 */
export function readSealKeyIds(path: string): Promise<SealKeyIdsLook> {
  // In a promise's job, so that an exception rejects.
  return Promise.resolve().then(() => lookAtFile(path));
}

/** SQLITE_NOTADB. */
const NOT_A_DATABASE = 26;

function lookAtFile(path: string): SealKeyIdsLook {
  if (path === IN_MEMORY) return "absent";
  if (sizeOf(path) === 0) return sizeOf(`${path}-wal`) === 0 ? "absent" : "foreign";
  let raw: DatabaseSync | undefined;
  try {
    raw = new DatabaseSync(path, { readOnly: true });
    // Another starting process may be recovering the write-ahead log. Blocking is harmless: nothing is served yet.
    raw.exec("pragma busy_timeout = 5000");
    return lookAtTables(raw);
  } catch (error) {
    if ((error as { errcode?: unknown }).errcode === NOT_A_DATABASE) return "foreign";
    throw error;
  } finally {
    raw?.close();
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function lookAtTables(raw: DatabaseSync): SealKeyIdsLook {
  const tables = raw.prepare("select name from sqlite_master where type = 'table'").all().map((row) =>
    row["name"]
  );
  const table = seedTableOf(tables);
  if (table === "absent" || table === "foreign") return table;
  const ids = raw.prepare(`select seal_key_id from ${table} order by created_at, id`).all();
  if (ids.length > 0) return toSealKeyIds(ids.map((row) => row["seal_key_id"]));
  const used = raw.prepare("select 1 from account union all select 1 from audit_event limit 1").get();
  return used === undefined ? "absent" : "foreign";
}
