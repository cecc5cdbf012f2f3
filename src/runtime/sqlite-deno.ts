import { DatabaseSync } from "node:sqlite";
import { SqliteDialect } from "kysely";
import type { Dialect, SqliteStatement } from "kysely";
import type { StatementSync } from "node:sqlite";
import { serverDialect } from "./sqlite-dialect.ts";
import { configureSqlite } from "./sqlite-pragmas.ts";
import { statementCache, toSqliteValue } from "./sqlite-statement.ts";

/** Opens a file, which exists, or `:memory:` with `node:sqlite`. */
export async function openNodeSqlite(path: string): Promise<Dialect> {
  const raw = new DatabaseSync(path);
  const statements = statementCache((sql) => wrap(raw.prepare(sql)), () => {});
  function close(): void {
    statements.clear();
    raw.close();
  }
  try {
    await configureSqlite(path, (sql) => statements.prepare(sql).all([]));
  } catch (error) {
    close();
    throw error;
  }
  const base = new SqliteDialect({ database: { prepare: statements.prepare, close } });
  return serverDialect(base, {
    inTransaction: () => raw.isTransaction,
    run: (sql, parameters) => [...statements.prepare(sql).all(parameters)],
  });
}

/** A statement of `node:sqlite` as kysely wants it. */
export function wrap(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    // Rows come with a null prototype, which no comparison of plain objects would call equal.
    all: (parameters) => statement.all(...parameters.map(toSqliteValue)).map((row) => ({ ...row })),
    run: (parameters) => statement.run(...parameters.map(toSqliteValue)),
    // Its own iterate() swallows an error while stepping and ends early; the other runtime's dialect has none.
    iterate: () => {
      throw new TypeError("Cannot stream rows: read them in pages");
    },
  };
}
