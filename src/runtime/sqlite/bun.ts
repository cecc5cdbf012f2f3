// Its ES module, by name: the runtime would take the other one, and with it all of kysely a second time.
import { BunSqliteDialect } from "kysely-bun-sqlite/dist/index.js";
import type { Engine } from "../../db/engine.ts";
import { createSqliteEngine } from "./engine.ts";
import { rememberFiles } from "./files.ts";
import { configureSqlite } from "./pragmas.ts";
import { statementCache, toSqliteValues } from "./statement.ts";
import type { SqliteValue } from "./statement.ts";

/** The parts of `bun:sqlite` used here: its own types would come with all of Bun's globals. */
interface BunStatement {
  readonly columnNames: readonly string[];
  /** One array, where the makers show one argument for each: it is taken as it is. */
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

/** Not a literal where it is imported: Deno's check and bundlers would look for it. */
const BUN_SQLITE: string = "bun:sqlite";

/** Opens a file, which exists, or `:memory:` with `bun:sqlite`. */
export async function openBunSqlite(path: string): Promise<Engine> {
  const { Database } = await import(BUN_SQLITE) as { Database: new (path: string) => BunDatabase };
  return await bunEngine(new Database(path), path);
}

/** An engine over a database that is open; closed again where it cannot be set up. */
export async function bunEngine(raw: BunDatabase, path: string): Promise<Engine> {
  const statements = statementCache(
    (sql) => wrap(raw.prepare(sql)),
    (statement) => statement.finalize(),
  );
  function close(): void {
    // A statement left open would keep the connection, and with it the write-ahead log, alive.
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
  // Once, and kept: the engine says whose turn it is.
  const connection = await driver.acquireConnection();
  return createSqliteEngine(
    { execute: (query) => connection.executeQuery(query), inTransaction: () => raw.inTransaction, close },
    { access: "write", lookAtFiles: rememberFiles(path) },
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
