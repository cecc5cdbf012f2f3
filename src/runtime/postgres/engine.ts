import { CompiledQuery, type QueryResult } from "kysely";
import type { Pool, PoolClient, QueryConfig } from "pg";
import type { Engine, Job, Run, Scope } from "../../db/engine.ts";
import { DatabaseError, hasNotBegun, markNotBegun } from "../../db/error.ts";
import { createHealth, isForGood, isLasting } from "../../db/health.ts";
import type { Language } from "../../db/dialect.ts";
import { commit, rollback } from "./commit.ts";
import { explainPostgres, isAfterFault, isConflict, isConnectionBroken, isFromServer } from "./error.ts";
import { findPostgresDamage, probeDisk } from "./damage.ts";
import { beginWriting, LOCK_AUDIT_LOG } from "./locks.ts";
import { runMigration } from "./migrations.ts";
import { readPostgresMigrations, readPostgresSchema, readSchemaMark } from "./schema.ts";
import { createStatements, isReading, isUndoing, toResult } from "./statement.ts";
import { createConnectionMutex } from "../mutex.ts";

export interface PostgresMeans {
  /** For statements outside of transactions. */
  readonly readers: Pool;
  /** For transactions. One connection, because a process runs one transaction at a time. */
  readonly writer: Pool;
  readonly worker: Pool;
  readonly language: Language;
  readonly schema: string;
  /** `write` runs one transaction at a time; `read` uses a snapshot; `scratch` is private to the connection. */
  readonly access: "read" | "write" | "scratch";
  /** Milliseconds between two checks that the schema is unchanged. */
  readonly schemaPause: number;
}

/** Maximum of attempts after a conflict. */
const ATTEMPTS = 5;
/** Milliseconds between two attempts to write after the disk was full. */
const PROBE_PAUSE = 1000;

/** The statement that begins a transaction. For `write` it also takes the locks. */
const BEGIN: Readonly<Record<PostgresMeans["access"], (scope?: Scope) => string>> = {
  write: beginWriting,
  read: () => "begin isolation level repeatable read read only",
  scratch: () => "begin",
};

const LOCK_AUDIT_LOG_QUERY = CompiledQuery.raw(LOCK_AUDIT_LOG);
const ANY_READ = CompiledQuery.raw("select 1 as one");

/**
 * Creates a database port over PostgreSQL. Reads run concurrently on several connections. Transactions run one at a
 * time in each process, and across processes unless their scopes do not overlap.
 */
export function createPostgresEngine(means: PostgresMeans): Engine {
  const { readers, writer, worker, language, schema, access, schemaPause } = means;
  const mutex = createConnectionMutex();
  const health = createHealth();
  const toStatement = createStatements();
  let isOpen = true;
  let probedAt = -Infinity;
  let watchedMark: string | undefined;
  let watchedAt = -Infinity;

  /** Maps an engine error and reports persistent ones to the health monitor. */
  function noted(error: unknown): unknown {
    const fault = explainPostgres(error);
    if (fault !== undefined && isLasting(fault)) health.report(fault);
    return fault ?? error;
  }

  async function execute<R>(client: PoolClient, statement: QueryConfig): Promise<QueryResult<R>> {
    const result = await client.query(statement);
    if (health.fault()?.code === "unreachable") health.recover();
    return toResult(result);
  }

  /** Runs the job with a connection. Returns the connection to the pool, or destroys it if it may be broken. */
  async function withClient<T>(pool: Pool, job: (client: PoolClient) => Promise<T>): Promise<T> {
    if (!isOpen) throw new TypeError("Cannot use database: it is closed");
    const client = await pool.connect();
    let isWhole = true;
    const broken = (): void => void (isWhole = false);
    client.on("error", broken);
    try {
      return await job(client);
    } catch (error) {
      isWhole &&= !isConnectionBroken(error);
      throw error;
    } finally {
      client.off("error", broken);
      client.release(!isWhole);
    }
  }

  function isSchemaCheckDue(): boolean {
    return watchedMark !== undefined && performance.now() - watchedAt >= schemaPause;
  }

  async function assertSameSchema(client: PoolClient): Promise<void> {
    watchedAt = performance.now();
    if (await readSchemaMark(runOn(client), schema) === watchedMark) return;
    throw new DatabaseError("schema_changed", "Cannot write to database: its schema has changed");
  }

  function runOn(client: PoolClient): Run {
    return (query) => execute(client, toStatement(query));
  }

  /** Begins a transaction, with all statements sent at once. Rejects with an error that says that it has not begun. */
  async function begin(client: PoolClient, statement: string, isChecked: boolean): Promise<void> {
    try {
      await Promise.all([client.query(statement), isChecked && assertSameSchema(client)]);
    } catch (error) {
      const reported = noted(error);
      throw reported instanceof Error ? markNotBegun(reported) : reported;
    }
  }

  /**
   * Must be called with the mutex acquired. Of a transaction that writes, all statements and the commit may be sent
   * before the begin is answered: if that fails, the server refuses each of them, because the session is read-only
   * outside of transactions. If the schema must be checked, no write is sent before the check.
   */
  async function runJob<T>(
    client: PoolClient,
    how: PostgresMeans["access"],
    job: Job<T>,
    scope?: Scope,
  ): Promise<T> {
    let hasBegun = false;
    let hasEnded = false;
    let isComplete = true;
    let first: unknown;
    const refuse = (error: unknown): Promise<never> => {
      const reported = noted(error);
      if (isAfterFault(error)) return Promise.reject(first ?? reported);
      first ??= reported;
      return Promise.reject(reported);
    };
    const isChecked = how === "write" && isSchemaCheckDue();
    const mayFollow = how === "write" && !isChecked;
    const begun = begin(client, BEGIN[how](scope), isChecked).then(() => void (hasBegun = true), refuse);
    const settled = begun.catch(() => {});
    const send = async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
      if (hasEnded) throw new TypeError("Cannot run statement: its transaction has ended");
      let statement: QueryConfig;
      try {
        statement = toStatement(query);
      } catch (error) {
        isComplete = false;
        throw error;
      }
      const result = await execute<R>(client, statement);
      // The failed statement is undone, so the transaction can be committed.
      if (isUndoing(query)) first = undefined;
      return result;
    };
    const sendFirst = async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
      // Without the transaction the server would commit a write by itself.
      if (!mayFollow && !isReading(query)) return await begun.then(() => send<R>(query)).catch(refuse);
      const [, result] = await Promise.allSettled([begun, send<R>(query)]);
      await begun;
      return result.status === "fulfilled" ? result.value : await refuse(result.reason);
    };
    const run: Run = <R>(query: CompiledQuery) =>
      hasBegun ? send<R>(query).catch(refuse) : sendFirst<R>(query);
    try {
      const value = await job(run);
      hasEnded = true;
      if (!isComplete) throw new TypeError("Cannot commit: a statement was not sent");
      if (!mayFollow) await begun;
      await commit(client);
      await begun;
      if (health.fault()?.code === "read_only") health.recover();
      return value;
    } catch (error) {
      hasEnded = true;
      const isUnknown = error instanceof DatabaseError && error.code === "commit_unknown";
      // Never replaces the original error. A connection that fails to roll back is not used again.
      if (!isUnknown) await rollback(client);
      await settled;
      // The server reported an error before the connection broke, so it has not committed.
      if (isUnknown) throw isFromServer(first) ? first : error;
      throw hasNotBegun(first) || isConflict(first) ? first : error;
    }
  }

  async function withMutex<T>(job: () => Promise<T>): Promise<T> {
    await mutex.acquire();
    try {
      const fault = health.fault();
      if (fault !== undefined && isForGood(fault)) throw fault;
      return await job();
    } catch (error) {
      throw noted(error);
    } finally {
      mutex.release();
    }
  }

  /** Retries after a conflict with another transaction that did not take the lock. */
  async function again<T>(attempt: () => Promise<T>): Promise<T> {
    for (let count = 1;; count++) {
      try {
        return await attempt();
      } catch (error) {
        if (!isConflict(error) || count === ATTEMPTS) throw error;
      }
    }
  }

  function transaction<T>(job: Job<T>, scope?: Scope): Promise<T> {
    return withMutex(() => again(() => withClient(writer, (client) => runJob(client, access, job, scope))));
  }

  async function run<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!isReading(query)) return await transaction((inside) => inside<R>(query));
    try {
      return await withClient(readers, (client) => execute<R>(client, toStatement(query)));
    } catch (error) {
      throw noted(error);
    }
  }

  function migration<T>(job: Job<T>): Promise<T> {
    return withMutex(() =>
      withClient(worker, (client) =>
        runJob(client, access, async (inside) => {
          const value = await runMigration(inside, schema, job);
          if (watchedMark !== undefined) watchedMark = await readSchemaMark(inside, schema);
          return value;
        }))
    );
  }

  async function look<T>(job: (run: Run) => Promise<T>): Promise<T> {
    try {
      return await withClient(worker, (client) => runJob(client, "read", job));
    } catch (error) {
      throw noted(error);
    }
  }

  async function watchSchema(): Promise<void> {
    watchedMark = await look((inside) => readSchemaMark(inside, schema));
  }

  async function check(): Promise<void> {
    const fault = health.fault();
    if (fault !== undefined && isForGood(fault)) throw fault;
    await run(ANY_READ);
    if (fault?.code === "unreachable" || fault?.code === "login_refused") health.recover();
    const isDue = performance.now() - probedAt >= PROBE_PAUSE;
    if ((fault?.code === "disk_full" || fault?.code === "read_only") && isDue) {
      probedAt = performance.now();
      await probeDisk(transaction);
      health.recover();
    }
    const present = health.fault();
    if (present !== undefined) throw present;
  }

  async function close(): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    await Promise.all([...new Set([readers, writer, worker])].map((pool) => pool.end()));
  }

  const { fault, watch, report } = health;
  return {
    language,
    run,
    transaction,
    lockAuditLog: async (inside) => void await inside(LOCK_AUDIT_LOG_QUERY),
    isRemote: true,
    migration,
    watchSchema,
    readSchema: (migrations) => look((inside) => readPostgresSchema(inside, schema, migrations)),
    readMigrations: (migrations) => look((inside) => readPostgresMigrations(inside, schema, migrations)),
    findDamage: () => look((inside) => findPostgresDamage(inside, schema)),
    // The server schedules its own checkpoints.
    checkpoint: () => Promise.resolve(),
    check,
    health: { fault, watch, report },
    close,
  };
}
