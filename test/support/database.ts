import { openDatabase } from "../../src/db/database.ts";
import type { Db } from "../../src/db/schema.ts";
import { IN_MEMORY, openSqlite } from "../../src/runtime/sqlite.ts";

/** A fresh, migrated database in memory on the runtime that runs the test. Nothing else sees it. */
export async function openTestDatabase(): Promise<Db> {
  return await openDatabase(await openSqlite(IN_MEMORY));
}
