// Imports the ES module by name: the runtime would resolve the other one and load Kysely twice.
import { BunSqliteDialect } from "kysely-bun-sqlite/dist/index.js";
import type { Engine } from "../../db/engine.ts";
import { createSqliteEngine } from "./engine.ts";
import { snapshotFiles } from "./files.ts";
import { configureSqlite } from "./pragmas.ts";
import {
  DATA_VERSION,
  type DataVersion,
  type SqliteValue,
  statementCache,
  toSqliteValues,
} from "./statement.ts";

/** The parts of `bun:sqlite` used here. Its own types would bring all of Bun's globals. */
interface BunStatement {
  readonly columnNames: readonly string[];
  /** Takes one array as it is; the documentation shows one argument for each parameter. */
  all(parameters: readonly SqliteValue[]): unknown[];
  run(
    parameters: readonly SqliteValue[],
  ): { readonly changes: number; readonly lastInsertRowid: number | bigint };
  finalize(): void;
}

export interface BunDatabase {
  readonly inTransaction: boolean;
  prepare(sql: string): BunStatement;
  close(throwOnError: boolean): void;
}

/** Not a literal in the import, which Deno's check and bundlers would resolve. */
const BUN_SQLITE: string = "bun:sqlite";

export async function openBunSqlite(path: string): Promise<Engine> {
  const { Database } = await import(BUN_SQLITE) as { Database: new (path: string) => BunDatabase };
  return await bunEngine(new Database(path), path);
}

/** Creates an engine over an open database. Closes the database if the setup fails. */
export async function bunEngine(raw: BunDatabase, path: string): Promise<Engine> {
  const statements = statementCache((sql) => wrap(raw.prepare(sql)), (statement) => statement.finalize());
  function close(): void {
    // An open statement would keep the connection and its write-ahead log alive.
    statements.clear();
    raw.close(true);
  }
  try {
    await configureSqlite(path, (sql) => statements.prepare(sql).all([]));
  } catch (error) {
    close();
    throw error;
  }
  const driver = new BunSqliteDialect({ database: { prepare: statements.prepare, close } as never })
    .createDriver();
  await driver.init();
  // Acquired once and kept: the engine has its own mutex.
  const connection = await driver.acquireConnection();
  return createSqliteEngine(
    {
      execute: (query) => connection.executeQuery(query),
      inTransaction: () => raw.inTransaction,
      dataVersion: () => (statements.prepare(DATA_VERSION).all([]) as [DataVersion])[0].data_version,
      close,
    },
    { access: "write", lookAtFiles: snapshotFiles(path) },
  );
}

interface ArrayStatement {
  readonly columnNames: readonly string[];
  all(parameters: readonly unknown[]): unknown[];
  run(parameters: readonly unknown[]): ReturnType<BunStatement["run"]>;
  finalize(): void;
}

function wrap(statement: BunStatement): ArrayStatement {
  return {
    columnNames: statement.columnNames,
    all: (parameters) => statement.all(toSqliteValues(parameters)),
    run: (parameters) => statement.run(toSqliteValues(parameters)),
    finalize: () => statement.finalize(),
  };
}
