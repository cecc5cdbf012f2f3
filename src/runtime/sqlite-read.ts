import { DatabaseSync } from "node:sqlite";
import { SqliteDialect } from "kysely";
import type { Dialect } from "kysely";
import { serverDialect } from "./sqlite-dialect.ts";
import { wrap } from "./sqlite-deno.ts";

/**
 * A kysely dialect that can only read a SQLite file, alike on both runtimes, while other processes write it or not.
 * No byte of the file changes; an empty write-ahead log and its index may be made beside it. The file must exist.
 */
export function openSqliteToRead(path: string): Dialect {
  const raw = new DatabaseSync(path, { readOnly: true });
  raw.exec("pragma trusted_schema = off");
  const prepare = (sql: string) => wrap(raw.prepare(sql));
  const base = new SqliteDialect({ database: { prepare, close: () => raw.close() } });
  return serverDialect(base, {
    inTransaction: () => raw.isTransaction,
    run: (sql, parameters) => [...prepare(sql).all(parameters)],
  });
}
