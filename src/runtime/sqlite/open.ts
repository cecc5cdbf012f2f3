import { chmodSync, closeSync, openSync, statSync } from "node:fs";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import type { Engine, SealKeyIdLook } from "../../db/engine.ts";
import { explain } from "./error.ts";

/** For `openSqlite`: a database that lives as long as its connection. */
export const IN_MEMORY = ":memory:";

/**
 * An engine over a SQLite file, which is made with mode 0600 if it is not there, or over memory. The folder must exist.
 * Write-ahead log, an fsync in each commit, foreign keys, and transactions that take the write lock at their beginning,
 * alike on both runtimes. Throws `DatabaseError` where the file or its disk does not let it.
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

/** SQLite gives the files beside it the same mode. */
function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") throw error;
    // By path: closing a descriptor of a file that is open elsewhere in this process would drop its locks.
    chmodSync(path, 0o600);
  }
}

/**
 * The id of the sealing key that a database file needs, read without changing a byte of it or of its write-ahead log:
 * one left by a killed process is read and left. Where there is none, an empty one and its index are made. (SQLite
 * could do without by a URI, which Deno takes for a path unless it has every permission.) Does not check that the seed
 * opens. Throws when the file cannot be read or is damaged.
 */
export function readSealKeyId(path: string): Promise<SealKeyIdLook> {
  // In a promise's job, so that what is thrown rejects.
  return Promise.resolve().then(() => lookAtFile(path));
}

/** SQLITE_NOTADB. */
const NOT_A_DATABASE = 26;

function lookAtFile(path: string): SealKeyIdLook {
  if (path === IN_MEMORY) return "absent";
  if (sizeOf(path) === 0) return sizeOf(`${path}-wal`) === 0 ? "absent" : "foreign";
  let raw: DatabaseSync | undefined;
  try {
    raw = new DatabaseSync(path, { readOnly: true });
    // Another process that starts may be recovering the write-ahead log just now. Nothing is served yet that would wait.
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

function lookAtTables(raw: DatabaseSync): SealKeyIdLook {
  const tables = raw.prepare("select name from sqlite_master where type = 'table'").all().map((row) =>
    row["name"]
  );
  // kysely's own tables come first, before the transaction of the migrations.
  if (tables.every((name) => String(name).startsWith("kysely_"))) return "absent";
  if (!["sealed_seed", "account", "audit_event"].every((name) => tables.includes(name))) return "foreign";
  const seed = raw.prepare("select seal_key_id from sealed_seed where id = 1").get();
  if (seed !== undefined) return readId(seed["seal_key_id"]);
  const used = raw.prepare("select 1 from account union all select 1 from audit_event limit 1").get();
  return used === undefined ? "absent" : "foreign";
}

/** The id is printed wherever somebody asks for it: nothing else than digits is one. */
function readId(id: unknown): SealKeyIdLook {
  return typeof id === "string" && /^[0-9a-f]{64}$/.test(id) ? { sealKeyId: id } : "edited";
}
