import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { QueryResult } from "kysely";
import type { Engine } from "../../db/engine.ts";
import { createSqliteEngine } from "./engine.ts";
import type { SqliteConnection } from "./connection.ts";
import { snapshotFiles } from "./files.ts";
import { configureSqlite } from "./pragmas.ts";
import { DATA_VERSION, type DataVersion, statementCache, toSqliteValues } from "./statement.ts";

/** Opens an existing file, or `:memory:`, with `node:sqlite`. */
export function openNodeSqlite(path: string): Promise<Engine> {
  return nodeEngine(new DatabaseSync(path), path);
}

/** Creates an engine over an open database. Closes the database if the setup fails. */
export async function nodeEngine(raw: DatabaseSync, path: string): Promise<Engine> {
  raw.enableDefensive(true);
  const connection = nodeConnection(raw);
  try {
    await configureSqlite(path, (sql) => raw.prepare(sql).all());
  } catch (error) {
    connection.close();
    throw error;
  }
  return createSqliteEngine(connection, { access: "write", lookAtFiles: snapshotFiles(path) });
}

export function nodeConnection(raw: DatabaseSync): SqliteConnection {
  const statements = statementCache((sql) => wrap(raw.prepare(sql)), () => {});
  let version: StatementSync | undefined;
  return {
    execute: (query) => statements.prepare(query.sql)(query.parameters),
    inTransaction: () => raw.isTransaction,
    dataVersion: () => {
      version ??= raw.prepare(DATA_VERSION);
      return (version.get() as unknown as DataVersion).data_version;
    },
    close: () => {
      statements.clear();
      raw.close();
    },
  };
}

/** Wraps a statement. Avoids iterate(), which swallows an error while stepping and ends early. */
function wrap(statement: StatementSync): <R>(parameters: readonly unknown[]) => Promise<QueryResult<R>> {
  const names = statement.columns().map(({ name }) => name);
  if (names.length === 0) {
    return (parameters) => {
      const { changes, lastInsertRowid } = statement.run(...toSqliteValues(parameters));
      const result = { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
      return Promise.resolve(result);
    };
  }
  // The driver's own row objects have no prototype, which breaks deep equality, and are slow to copy.
  statement.setReturnArrays(true);
  return <R>(parameters: readonly unknown[]) => {
    const rows = statement.all(...toSqliteValues(parameters)) as unknown as readonly unknown[][];
    return Promise.resolve({ rows: rows.map((values) => toRow(names, values) as R) });
  };
}

function toRow(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < names.length; index++) row[names[index]!] = values[index];
  return row;
}
