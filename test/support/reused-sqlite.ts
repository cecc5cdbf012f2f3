import type { BunDatabase } from "../../src/runtime/sqlite/bun.ts";

/** With `off`, rows may refer to missing rows. A reused connection keeps the setting. */
export type ForeignKeys = "on" | "off";

type Statement = ReturnType<BunDatabase["prepare"]>;

/** A database in memory with the content of the image, and the statements prepared on it. */
interface Connection {
  readonly raw: BunDatabase;
  readonly statements: Map<string, Statement>;
}

/** The connections that no test uses, by their setting. */
const IDLE: Readonly<Record<ForeignKeys, Connection[]>> = { on: [], off: [] };

/** SQL whose every effect ends with the outer transaction. Others are settings, or change the schema. */
const IS_UNDONE = /^\s*(?:select|insert|update|delete|with|savepoint|release|rollback to)\b/i;

/** Settings that only read, or that have no effect on rows. */
const READS_ONLY =
  /^pragma (?:data_version|schema_version|user_version|shrink_memory|(?:table|index|foreign_key)_\w+)(?:\(.*\))?$/i;

/** The answer to a checkpoint of a database that has no log. SQLite would refuse it in a transaction. */
const CHECKPOINT = /^pragma wal_checkpoint\(\w+\)$/;
const NO_LOG = { busy: 0, log: -1, checkpointed: -1 };

/** Statements of a connection above which it is not reused: some tests make their own SQL. */
const STATEMENT_LIMIT = 1000;

/** Transactions of the engine, as parts of the outer one. */
const INNER: Readonly<Record<string, readonly string[]>> = {
  "begin": ["savepoint engine_transaction"],
  "begin immediate": ["savepoint engine_transaction"],
  "commit": ["release engine_transaction"],
  "rollback": ["rollback to engine_transaction", "release engine_transaction"],
};

/** Returns a statement that does not run, with these rows. */
function answering(rows: readonly object[]): Statement {
  return {
    columnNames: rows.flatMap(Object.keys),
    all: () => [...rows],
    run: () => ({ changes: 0, lastInsertRowid: 0 }),
    finalize: () => {},
  };
}

export interface ReusedSqlite {
  readonly database: BunDatabase;
  /** Begins the outer transaction. Must be called when the engine has set up its connection. */
  begin(): void;
}

/**
 * Opens a database with the content of an image, or reuses the connection of a closed one. All that a test does is in
 * one transaction, which is rolled back at the end: reading the schema and preparing statements again took a tenth of
 * the processor time of tests. The first SQL that a rollback does not undo commits that transaction. From then on
 * the connection works as any other, and is not reused.
 */
export function openReusedSqlite(open: () => BunDatabase, foreignKeys: ForeignKeys): ReusedSqlite {
  const reused = IDLE[foreignKeys].pop();
  const { raw, statements } = reused ?? { raw: open(), statements: new Map<string, Statement>() };
  let phase: "setup" | "outer" | "leaving" | "plain" | "closed" = "setup";
  let isInside = false;

  function prepared(sql: string): Statement {
    const statement = statements.get(sql) ?? raw.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }

  function leave(): void {
    phase = isInside ? "leaving" : "plain";
    if (phase === "plain") prepared("commit").run([]);
  }

  function runInner(sql: string): ReturnType<Statement["run"]> {
    if (phase === "plain") return prepared(sql).run([]);
    if (sql.startsWith("begin") === isInside) {
      throw new Error(`Cannot ${sql}: wrong state of the transaction`);
    }
    const [result] = INNER[sql]!.map((inner) => prepared(inner).run([]));
    isInside = sql.startsWith("begin");
    if (phase === "leaving" && !isInside) leave();
    return result!;
  }

  function prepare(sql: string): Statement {
    if (phase === "closed") throw new Error("Cannot use a closed database");
    if (INNER[sql] !== undefined) return { ...answering([]), run: () => runInner(sql) };
    // The connection has its settings, and setting them again would make SQLite prepare all statements again.
    if (phase === "setup" && reused !== undefined) return answering([]);
    if (phase === "outer" && CHECKPOINT.test(sql)) return answering([NO_LOG]);
    if (phase === "outer" && !IS_UNDONE.test(sql) && !READS_ONLY.test(sql)) leave();
    if (phase !== "outer") return raw.prepare(sql);
    const statement = prepared(sql);
    return {
      columnNames: statement.columnNames,
      all: (values) => statement.all(values),
      run: (values) => statement.run(values),
      // Stays prepared for the next test.
      finalize: () => {},
    };
  }

  function close(throwOnError: boolean): void {
    // SQLite ends the outer transaction by itself after some errors.
    const isReusable = phase === "outer" && raw.inTransaction && statements.size < STATEMENT_LIMIT;
    phase = "closed";
    if (isReusable) {
      prepared("rollback").run([]);
      IDLE[foreignKeys].push({ raw, statements });
    } else {
      for (const statement of statements.values()) statement.finalize();
      raw.close(throwOnError);
    }
  }

  return {
    database: {
      get inTransaction() {
        return raw.inTransaction && (phase === "plain" || isInside);
      },
      prepare,
      close,
    },
    begin: () => {
      if (reused === undefined) prepared(`pragma foreign_keys = ${foreignKeys}`).run([]);
      prepared("begin").run([]);
      phase = "outer";
    },
  };
}
