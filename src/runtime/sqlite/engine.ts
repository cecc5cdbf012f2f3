import { CompiledQuery } from "kysely";
import type { QueryResult } from "kysely";
import type { Engine, Job } from "../../db/engine.ts";
import { DatabaseError } from "../../db/error.ts";
import { createHealth, isForGood, isLasting } from "../../db/health.ts";
import { SQLITE } from "../../db/dialect/sqlite.ts";
import { createCheckpoints } from "./checkpoint.ts";
import type { SqliteConnection } from "./connection.ts";
import { findDangling, findSqliteDamage } from "./damage.ts";
import { explain, explainRead, isBusy } from "./error.ts";
import type { FilesLook } from "./files.ts";
import { createPatience } from "./busy-timeout.ts";
import { readSqliteSchema } from "./schema.ts";
import { createSharedRead } from "./shared-read.ts";
import { createTurns } from "../mutex.ts";

/** What can be otherwise for readers, for a database in memory and in tests. */
export interface SqliteEngineOptions {
  /** `write` takes the write lock when a transaction begins; `read` looks at one moment of the database. */
  readonly access: "read" | "write";
  /** Whether the files are still those that are open; left out where there are none. */
  readonly lookAtFiles?: () => FilesLook;
  /** Milliseconds a statement waits for another process's write lock. */
  readonly patience?: number;
}

/** Longer than any transaction of ours. */
const BUSY_PATIENCE = 5000;
/** Milliseconds between two attempts to write on a disk that was full. */
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
/** Does nothing, and says how many pages a checkpoint would have to do with. */
const LOOK_AT_LOG = CompiledQuery.raw("pragma wal_checkpoint(noop)");
/** Grows with each change of the schema, whoever makes it; kept in the file. */
const SCHEMA_VERSION = CompiledQuery.raw("pragma schema_version");
const ANY_READ = CompiledQuery.raw("select 1 from sqlite_schema limit 1");
/** A number in the file that nobody reads: writing it writes a page and changes nothing. */
const USER_VERSION = CompiledQuery.raw("pragma user_version");

const FILES_REPLACED = {
  log_missing: "Cannot use database: its write-ahead log was deleted",
  replaced: "Cannot use database: its files were replaced",
} as const satisfies Record<Exclude<FilesLook, "same">, string>;

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
  { access, lookAtFiles = () => "same", patience = BUSY_PATIENCE }: SqliteEngineOptions,
): Engine {
  const turns = createTurns();
  const patiently = createPatience(turns, patience);
  const sharedRead = createSharedRead(connection);
  const health = createHealth();
  let isOpen = true;
  let probedAt = -Infinity;
  let watchedSchema: number | undefined;
  const checkpoints = createCheckpoints({ waitingPages, merge: checkpoint });

  /** What is thrown for what was thrown; the health of the database hears of what lasts. */
  function noted(error: unknown): unknown {
    const fault = error instanceof DatabaseError ? error : explain(error);
    if (fault !== undefined && isLasting(fault)) health.report(fault);
    return fault ?? error;
  }

  /** After a failed fsync nobody knows what is on the disk, and the next one may succeed without writing it. */
  function assertWritable(): void {
    const fault = health.fault();
    if (fault !== undefined && isForGood(fault)) throw fault;
  }

  /** In the caller's turn. */
  async function begin(): Promise<void> {
    assertWritable();
    await patiently(() => connection.execute(BEGIN[access]));
  }

  async function readSchemaVersion(): Promise<number> {
    const { rows: [row] } = await connection.execute<{ schema_version: number }>(SCHEMA_VERSION);
    return row!.schema_version;
  }

  /** In a transaction: whoever else would change the schema waits until it is over. */
  async function assertSameSchema(): Promise<void> {
    if (watchedSchema === undefined || await readSchemaVersion() === watchedSchema) return;
    throw new DatabaseError("schema_changed", "Cannot write to database: its schema was changed meanwhile");
  }

  async function commit(): Promise<void> {
    await connection.execute(COMMIT);
    // Before anybody hears of the commit: it went to the files that are open.
    const look = lookAtFiles();
    if (look !== "same") throw new DatabaseError("files_replaced", FILES_REPLACED[look]);
    checkpoints.committed();
  }

  /** Never throws: the error that led here is the one to tell. */
  async function rollback(): Promise<void> {
    try {
      // SQLite rolls back by itself after some errors.
      if (connection.inTransaction()) await connection.execute(ROLLBACK);
    } catch (error) {
      noted(error);
    }
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
        return Promise.reject(noted(error));
      }
    }
    await begin();
    try {
      await assertSameSchema();
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
    sharedRead.end();
    try {
      return await job();
    } finally {
      turns.give();
    }
  }

  async function writeInTurn<T>(job: () => Promise<T>): Promise<T> {
    try {
      return await inTurn(job);
    } catch (error) {
      throw noted(error);
    }
  }

  async function readInTurn<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await inTurn(() => patiently(() => connection.execute<R>(query)));
    } catch (error) {
      throw explainRead(error) ?? error;
    }
  }

  function transaction<T>(job: Job<T>): Promise<T> {
    return writeInTurn(() => runJob(job));
  }

  function run<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!isReading(query)) return transaction((inside) => inside<R>(query));
    if (turns.isTaken()) return readInTurn(query);
    // Nobody's turn: no promise stands between the caller and its rows.
    try {
      if (query.query.kind === "SelectQueryNode") sharedRead.join();
      // A checkpoint, for one, is refused while something is read.
      else sharedRead.end();
      return connection.execute<R>(query);
    } catch (error) {
      return isBusy(error) ? readInTurn(query) : Promise.reject(explainRead(error) ?? error);
    }
  }

  function migration<T>(job: Job<T>): Promise<T> {
    return writeInTurn(async () => {
      // The switch has no effect inside a transaction.
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
    return inTurn(async () => void (watchedSchema = await readSchemaVersion()));
  }

  async function checkpoint(): Promise<void> {
    await writeInTurn(async () => {
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

  /** Closing merges the log and deletes what has its name: another's, or what nobody knows whether it is on the disk. */
  function isSafeToClose(): boolean {
    return health.fault()?.code !== "disk_failed" && lookAtFiles() !== "replaced";
  }

  const { fault, watch } = health;
  return {
    language: SQLITE,
    run,
    transaction,
    // Whoever writes is alone anyway.
    takePen: () => Promise.resolve(),
    isFarAway: false,
    migration,
    watchSchema,
    readSchema: (migrations) => readSqliteSchema(run, migrations),
    findDamage: () => findSqliteDamage(run),
    checkpoint,
    check,
    health: { fault, watch },
    close,
  };
}

async function checkReferences<T>(inside: Parameters<Job<T>>[0], job: Job<T>): Promise<T> {
  const value = await job(inside);
  if ((await findDangling(inside)).length === 0) return value;
  throw new DatabaseError(
    "foreign_key_violation",
    "Cannot migrate database: rows refer to rows that are not there",
  );
}
