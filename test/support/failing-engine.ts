import { DatabaseSync } from "node:sqlite";
import type { CompiledQuery } from "kysely";
import type { Engine } from "../../src/db/engine.ts";
import { nodeConnection } from "../../src/runtime/sqlite/deno.ts";
import { createSqliteEngine } from "../../src/runtime/sqlite/engine.ts";
import type { SqliteEngineOptions } from "../../src/runtime/sqlite/engine.ts";

/** Creates a SQLite error, with the member name that each driver gives its code. */
export function sqliteError(code: number, name: "errno" | "errcode" = "errcode"): Error {
  return Object.assign(new Error(`SQLite says ${code}`), { [name]: code });
}

/** Returns the error to throw in place of a statement; undefined to run it. */
export type Failing = (query: CompiledQuery) => Error | undefined;

/** Opens the server's engine over a database in memory whose statements can fail. */
export function openFailing(failing: Failing, options: Partial<SqliteEngineOptions> = {}): Engine {
  const connection = nodeConnection(new DatabaseSync(":memory:"));
  return createSqliteEngine({
    ...connection,
    execute: (query) => {
      const error = failing(query);
      if (error !== undefined) throw error;
      return connection.execute(query);
    },
  }, { access: "write", ...options });
}
