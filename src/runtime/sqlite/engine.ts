import { CompiledQuery, type QueryResult } from "kysely";
import type { Engine, Job } from "../../db/engine.ts";
import { DatabaseError } from "../../db/error.ts";
import { createHealth, isForGood, isLasting } from "../../db/health.ts";
import { SQLITE } from "../../db/dialect/sqlite.ts";
import { createCheckpoints } from "./checkpoint.ts";
import type { SqliteConnection } from "./connection.ts";
import { findDangling, findSqliteDamage } from "./damage.ts";
import { explain, explainRead, isBusy } from "./error.ts";
import type { FilesLook } from "./files.ts";
import { createBusyRetry } from "./busy-timeout.ts";
import { readSqliteSchema } from "./schema.ts";
import { createSharedRead } from "./shared-read.ts";
import { createConnectionMutex } from "../mutex.ts";

export interface SqliteEngineOptions {
  /** `write` takes the write lock at the beginning of a transaction; `read` uses a snapshot. */
  readonly access: "read" | "write";
  /** Checks that the files are still the open ones. Omitted for a database in memory. */
  readonly lookAtFiles?: () => FilesLook;
  /** Milliseconds that a statement waits for another process's write lock. */
  readonly busyTimeout?: number;
}

/** Longer than any transaction. */
const BUSY_TIMEOUT = 5000;
/** Milliseconds between two attempts to write after the disk was full. */
const PROBE_PAUSE = 1000;

const BEGIN = {
  // A read lock cannot wait to become a write lock: with four processes a fifth of all transactions failed.
  write: CompiledQuery.raw("begin immediate"),
  read: CompiledQuery.raw("begin"),
} as const;
const COMMIT = CompiledQuery.raw("commit");
const ROLLBACK = CompiledQuery.raw("rollback");
const FOREIGN_KEYS_OFF = CompiledQuery.raw("pragma foreign_keys = off");
const FOREIGN_KEYS_ON = CompiledQuery.raw("pragma foreign_keys = on");
const CHECKPOINT = CompiledQuery.raw("pragma wal_checkpoint(passive)");
/** Changes nothing. Returns the number of pages to merge. */
const LOOK_AT_LOG = CompiledQuery.raw("pragma wal_checkpoint(noop)");
/** Increases with each schema change by any process. Stored in the file. */
const SCHEMA_VERSION = CompiledQuery.raw("pragma schema_version");
const ANY_READ = CompiledQuery.raw("select 1 from sqlite_schema limit 1");
/** An unused number in the file. Writing it writes a page and changes nothing else. */
const USER_VERSION = CompiledQuery.raw("pragma user_version");

const FILES_REPLACED = {
  log_missing: "Cannot use database: its write-ahead log was deleted",
  replaced: "Cannot use database: its files were replaced",
} as const satisfies Record<Exclude<FilesLook, "same">, string>;

/** SQL text that only reads. A query built by Kysely has its own kind. */
const READS = /^\s*(?:select|pragma|explain)\b/i;

function isReading({ query, sql }: CompiledQuery): boolean {
  return query.kind === "SelectQueryNode" || (query.kind === "RawNode" && READS.test(sql));
}

/**
 * Creates a database port over one SQLite connection. Statements and transactions run in order. One that finds
 * another process's lock waits without blocking the event loop, and throws `DatabaseError` `busy` after `busyTimeout`
 * milliseconds.
 */
export function createSqliteEngine(
  connection: SqliteConnection,
  { access, lookAtFiles = () => "same", busyTimeout = BUSY_TIMEOUT }: SqliteEngineOptions,
): Engine {
  const mutex = createConnectionMutex();
  const retryWhileBusy = createBusyRetry(mutex, busyTimeout);
  const sharedRead = createSharedRead(connection);
  const health = createHealth();
  let isOpen = true;
  let probedAt = -Infinity;
  let watchedSchema: number | undefined;
  /** The data version of the last transaction that found the watched schema. */
  let schemaSeenAt: number | undefined;
  const checkpoints = createCheckpoints({ waitingPages, merge: checkpoint, run });

  /** Maps an engine error and reports persistent ones to the health monitor. */
  function noted(error: unknown): unknown {
    const fault = error instanceof DatabaseError ? error : explain(error);
    if (fault !== undefined && isLasting(fault)) health.report(fault);
    return fault ?? error;
  }

  /** Throws after a failed fsync: the next fsync may succeed without writing. */
  function assertWritable(): void {
    const fault = health.fault();
    if (fault !== undefined && isForGood(fault)) throw fault;
  }

  /** Must be called with the mutex acquired. */
  async function begin(): Promise<void> {
    assertWritable();
    await retryWhileBusy(() => connection.execute(BEGIN[access]));
  }

  async function readSchemaVersion(): Promise<number> {
    const { rows: [row] } = await connection.execute<{ schema_version: number }>(SCHEMA_VERSION);
    return row!.schema_version;
  }

  /** Must be called in a transaction, which blocks schema changes by other processes. */
  async function assertSameSchema(): Promise<void> {
    if (watchedSchema === undefined) return;
    // Another connection cannot change the schema without a commit, which changes the data version.
    const seenAt = connection.dataVersion();
    if (seenAt === schemaSeenAt) return;
    if (await readSchemaVersion() !== watchedSchema) {
      throw new DatabaseError("schema_changed", "Cannot write to database: its schema has changed");
    }
    schemaSeenAt = seenAt;
  }

  async function commit(): Promise<void> {
    await connection.execute(COMMIT);
    // Before the caller learns of the commit, which went to the open files.
    const look = lookAtFiles();
    if (look !== "same") throw new DatabaseError("files_replaced", FILES_REPLACED[look]);
    checkpoints.committed();
  }

  /** Never throws, so that the original error is reported. */
  async function rollback(): Promise<void> {
    try {
      // SQLite rolls back by itself after some errors.
      if (connection.inTransaction()) await connection.execute(ROLLBACK);
    } catch (error) {
      noted(error);
    }
  }

  /** Must be called with the mutex acquired. */
  async function runJob<T>(job: Job<T>): Promise<T> {
    let hasEnded = false;
    function runInside<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      if (hasEnded || !connection.inTransaction()) {
        return Promise.reject(new TypeError("Cannot run statement: its transaction has ended"));
      }
      try {
        return connection.execute<R>(query);
      } catch (error) {
        return Promise.reject(noted(error));
      }
    }
    await begin();
    sharedRead.forget();
    try {
      await assertSameSchema();
      const value = await job(runInside);
      hasEnded = true;
      await commit();
      return value;
    } catch (error) {
      hasEnded = true;
      await rollback();
      throw error;
    }
  }

  async function withMutex<T>(job: () => Promise<T>): Promise<T> {
    await mutex.acquire();
    sharedRead.end();
    try {
      return await job();
    } finally {
      sharedRead.forget();
      mutex.release();
    }
  }

  async function writeWithMutex<T>(job: () => Promise<T>): Promise<T> {
    try {
      return await withMutex(job);
    } catch (error) {
      throw noted(error);
    }
  }

  async function readWithMutex<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await withMutex(() => retryWhileBusy(() => connection.execute<R>(query)));
    } catch (error) {
      throw explainRead(error) ?? error;
    }
  }

  function transaction<T>(job: Job<T>): Promise<T> {
    return writeWithMutex(() => runJob(job));
  }

  function run<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!isReading(query)) return transaction((inside) => inside<R>(query));
    if (mutex.isLocked()) return readWithMutex(query);
    // The mutex is free: returns the rows without an extra promise.
    try {
      if (query.query.kind === "SelectQueryNode") sharedRead.join();
      // A statement such as a checkpoint fails while a read transaction is open.
      else sharedRead.end();
      return connection.execute<R>(query);
    } catch (error) {
      return isBusy(error) ? readWithMutex(query) : Promise.reject(explainRead(error) ?? error);
    }
  }

  function migration<T>(job: Job<T>): Promise<T> {
    return writeWithMutex(async () => {
      // Has no effect inside a transaction.
      await connection.execute(FOREIGN_KEYS_OFF);
      try {
        const { value, version } = await runJob(async (inside) => {
          const value = await checkReferences(inside, job);
          return { value, version: await readSchemaVersion() };
        });
        if (watchedSchema !== undefined) watchedSchema = version;
        return value;
      } finally {
        await connection.execute(FOREIGN_KEYS_ON);
      }
    });
  }

  function watchSchema(): Promise<void> {
    return withMutex(async () => {
      watchedSchema = await readSchemaVersion();
      schemaSeenAt = undefined;
    });
  }

  async function checkpoint(): Promise<void> {
    await writeWithMutex(async () => {
      assertWritable();
      await connection.execute(CHECKPOINT);
    });
  }

  async function waitingPages(): Promise<number> {
    const { rows: [row] } = await run<{ log: number; checkpointed: number }>(LOOK_AT_LOG);
    return row!.log - row!.checkpointed;
  }

  async function check(): Promise<void> {
    await run(ANY_READ);
    const isDue = performance.now() - probedAt >= PROBE_PAUSE;
    if (health.fault()?.code === "disk_full" && isDue) {
      probedAt = performance.now();
      await probe();
      health.recover();
    }
    const fault = health.fault();
    if (fault !== undefined) throw fault;
  }

  async function probe(): Promise<void> {
    const { rows: [row] } = await run<{ user_version: number }>(USER_VERSION);
    await transaction((inside) => inside(CompiledQuery.raw(`pragma user_version = ${row!.user_version}`)));
  }

  function close(): Promise<void> {
    checkpoints.stop();
    sharedRead.end();
    if (isOpen && isSafeToClose()) connection.close();
    isOpen = false;
    return Promise.resolve();
  }

  /** Returns false if files were replaced or the disk failed: closing merges the log and deletes files by name. */
  function isSafeToClose(): boolean {
    return health.fault()?.code !== "disk_failed" && lookAtFiles() !== "replaced";
  }

  const { fault, watch, report } = health;
  return {
    language: SQLITE,
    run,
    transaction,
    // The write lock is already exclusive.
    lockAuditLog: () => Promise.resolve(),
    dataVersion: sharedRead.dataVersion,
    isRemote: false,
    migration,
    watchSchema,
    readSchema: (migrations) => readSqliteSchema(run, migrations),
    readMigrations: async (migrations) => (await readSqliteSchema(run, migrations)).migrations,
    findDamage: () => findSqliteDamage(run),
    checkpoint,
    check,
    health: { fault, watch, report },
    close,
  };
}

async function checkReferences<T>(inside: Parameters<Job<T>>[0], job: Job<T>): Promise<T> {
  const value = await job(inside);
  if ((await findDangling(inside)).length === 0) return value;
  const message = "Cannot migrate database: rows refer to missing rows";
  throw new DatabaseError("foreign_key_violation", message);
}
