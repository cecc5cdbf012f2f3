import { chmodSync, closeSync, openSync } from "node:fs";
import process from "node:process";
import type { Dialect } from "kysely";

/** For `openSqlite`: a database that lives as long as its connection. */
export const IN_MEMORY = ":memory:";

/**
 * A kysely dialect over a SQLite file, which is made with mode 0600 if it is not there, or over memory. The folder
 * must exist. Write-ahead log, an fsync in each commit, foreign keys, and transactions that take the write lock at
 * their beginning, alike on both runtimes.
 */
export async function openSqlite(path: string): Promise<Dialect> {
  if (path !== IN_MEMORY) makePrivateFile(path);
  if (process.versions["bun"] !== undefined) {
    return await (await import("./sqlite-bun.ts")).openBunSqlite(path);
  }
  return await (await import("./sqlite-deno.ts")).openNodeSqlite(path);
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
