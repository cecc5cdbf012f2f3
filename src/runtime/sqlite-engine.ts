import { CompiledQuery, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely";
import type { QueryResult } from "kysely";
import type { Engine, Job } from "../db/engine.ts";
import { DatabaseError } from "../db/error.ts";
import { isBusy, isDiskFailure } from "./sqlite-error.ts";
import { createPatience } from "./sqlite-patience.ts";
import { createTurns } from "./sqlite-turns.ts";

/** What either runtime's database gives the engine. */
export interface SqliteConnection {
  /** Runs a statement at once, and throws, before there is a promise, what SQLite says. Never waits for a lock. */
  execute<R>(query: CompiledQuery): Promise<QueryResult<R>>;
  /** Whether a transaction is open on the connection. */
  inTransaction(): boolean;
  close(): void;
}

/** What can be otherwise for tests and for readers. */
export interface SqliteEngineOptions {
  /** `write` takes the write lock when a transaction begins; `read` looks at one moment of the database. */
  readonly access: "read" | "write";
  /** Milliseconds a statement waits for another process's write lock. */
  readonly patience?: number;
}

/** Longer than any transaction of ours. */
const BUSY_PATIENCE = 5000;

const LANGUAGE: Engine["language"] = {
  createAdapter: () => new SqliteAdapter(),
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createIntrospector: (db) => new SqliteIntrospector(db),
};

const BEGIN = {
  // A read lock cannot wait to become a write lock: with four processes a fifth of all transactions failed.
  write: CompiledQuery.raw("begin immediate"),
  read: CompiledQuery.raw("begin"),
} as const;
const COMMIT = CompiledQuery.raw("commit");
const ROLLBACK = CompiledQuery.raw("rollback");
const FOREIGN_KEYS_OFF = CompiledQuery.raw("pragma foreign_keys = off");
const FOREIGN_KEYS_ON = CompiledQuery.raw("pragma foreign_keys = on");
const FOREIGN_KEY_CHECK = CompiledQuery.raw("pragma foreign_key_check");
const INTEGRITY_CHECK = CompiledQuery.raw("pragma integrity_check(10)");

/** Text of SQL that writes nothing; what kysely built says so itself. */
const READS = /^\s*(?:select|pragma|explain)\b/i;

function isReading({ query, sql }: CompiledQuery): boolean {
  return query.kind === "SelectQueryNode" || (query.kind === "RawNode" && READS.test(sql));
}

/**
 * The database port over one SQLite connection. Statements run in the order in which they came, a transaction as one
 * of them; one that finds another process's lock waits for it with the event loop free, and throws `DatabaseError`
 * `busy` after `patience` milliseconds.
 */
export function createSqliteEngine(
  connection: SqliteConnection,
  { access, patience = BUSY_PATIENCE }: SqliteEngineOptions,
): Engine {
  const turns = createTurns();
  const patiently = createPatience(turns, patience);
  let failure: unknown;
  let isOpen = true;

  /** In the caller's turn. */
  async function begin(): Promise<void> {
    if (failure !== undefined) {
      throw new DatabaseError("disk_failed", "Cannot begin transaction: the disk failed earlier", {
        cause: failure,
      });
    }
    await patiently(() => connection.execute(BEGIN[access]));
  }

  async function commit(): Promise<void> {
    try {
      await connection.execute(COMMIT);
    } catch (error) {
      // After a failed fsync nobody knows what is on the disk, and the next one may succeed without writing it.
      if (isDiskFailure(error)) failure = error;
      throw error;
    }
  }

  async function rollback(): Promise<void> {
    // SQLite rolls back by itself after some errors; a second one would hide the first error.
    if (connection.inTransaction()) await connection.execute(ROLLBACK);
  }

  /** In the caller's turn. */
  async function runJob<T>(job: Job<T>): Promise<T> {
    let isOver = false;
    function runInside<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      if (isOver || !connection.inTransaction()) {
        return Promise.reject(new TypeError("Cannot run statement: its transaction is over"));
      }
      try {
        return connection.execute<R>(query);
      } catch (error) {
        return Promise.reject(error);
      }
    }
    await begin();
    try {
      const value = await job(runInside);
      isOver = true;
      await commit();
      return value;
    } catch (error) {
      isOver = true;
      await rollback();
      throw error;
    }
  }

  async function inTurn<T>(job: () => Promise<T>): Promise<T> {
    await turns.take();
    try {
      return await job();
    } finally {
      turns.give();
    }
  }

  function transaction<T>(job: Job<T>): Promise<T> {
    return inTurn(() => runJob(job));
  }

  function run<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!isReading(query)) return transaction((inside) => inside<R>(query));
    if (turns.isTaken()) return inTurn(() => patiently(() => connection.execute<R>(query)));
    // Nobody's turn: no promise stands between the caller and its rows.
    try {
      return connection.execute<R>(query);
    } catch (error) {
      if (!isBusy(error)) return Promise.reject(error);
      return inTurn(() => patiently(() => connection.execute<R>(query)));
    }
  }

  function migration<T>(job: Job<T>): Promise<T> {
    return inTurn(async () => {
      // The switch has no effect inside a transaction.
      await connection.execute(FOREIGN_KEYS_OFF);
      try {
        return await runJob((inside) => checkReferences(inside, job));
      } finally {
        await connection.execute(FOREIGN_KEYS_ON);
      }
    });
  }

  async function findDamage(): Promise<string[]> {
    const pages = (await run(INTEGRITY_CHECK)).rows as { integrity_check: string }[];
    const references = (await run(FOREIGN_KEY_CHECK)).rows as { table: string; parent: string }[];
    return [
      ...pages.map((row) => row.integrity_check).filter((text) => text !== "ok"),
      ...references.slice(0, 10).map(({ table, parent }) => `a row of ${table} refers to no ${parent}`),
    ];
  }

  function close(): Promise<void> {
    if (isOpen) connection.close();
    isOpen = false;
    return Promise.resolve();
  }

  return { language: LANGUAGE, run, transaction, migration, findDamage, close };
}

async function checkReferences<T>(inside: Parameters<Job<T>>[0], job: Job<T>): Promise<T> {
  const value = await job(inside);
  if ((await inside(FOREIGN_KEY_CHECK)).rows.length === 0) return value;
  throw new DatabaseError(
    "foreign_key_violation",
    "Cannot migrate database: rows refer to rows that are not there",
  );
}
