import { CompiledQuery, type QueryResult } from "kysely";
import type { Pool, PoolClient, QueryResult as DriverResult } from "pg";
import type { Engine, Job, Run, Scope } from "../../db/engine.ts";
import { DatabaseError, hasNotBegun, markNotBegun } from "../../db/error.ts";
import { createHealth, isForGood, isLasting } from "../../db/health.ts";
import type { Language } from "../../db/dialect.ts";
import { toPostgresValue } from "./connection.ts";
import { explainPostgres, isAfterFault, isConflict, isConnectionBroken, stateOf } from "./error.ts";
import { findPostgresDamage, probeDisk } from "./damage.ts";
import { beginWriting, LOCK_AUDIT_LOG } from "./locks.ts";
import { runMigration } from "./migrations.ts";
import { readPostgresMigrations, readPostgresSchema, readSchemaMark } from "./schema.ts";
import { isReading, toResult } from "./statement.ts";
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
/** Prepared statements for each connection. The service has far fewer. */
const STATEMENT_LIMIT = 500;
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
  const names = new Map<string, string>();
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

  function nameOf(sql: string): string | undefined {
    const known = names.get(sql);
    if (known !== undefined || names.size >= STATEMENT_LIMIT) return known;
    const name = `holdfast_${names.size}`;
    names.set(sql, name);
    return name;
  }

  async function execute<R>(
    client: PoolClient,
    { query, sql, parameters }: CompiledQuery,
  ): Promise<QueryResult<R>> {
    const values = parameters.map(toPostgresValue);
    const name = query.kind === "RawNode" ? undefined : nameOf(sql);
    const result = await client.query(
      name === undefined ? { text: sql, values } : { name, text: sql, values },
    );
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

  async function assertSameSchema(client: PoolClient): Promise<void> {
    if (watchedMark === undefined || performance.now() - watchedAt < schemaPause) return;
    watchedAt = performance.now();
    if (await readSchemaMark(runOn(client), schema) === watchedMark) return;
    throw new DatabaseError("schema_changed", "Cannot write to database: its schema has changed");
  }

  function runOn(client: PoolClient): Run {
    return (query) => execute(client, query);
  }

  async function commit(client: PoolClient): Promise<void> {
    let result: DriverResult;
    try {
      result = await client.query("commit");
    } catch (error) {
      // An error from a server that still responds means that the commit failed.
      if (stateOf(error) !== undefined && !isConnectionBroken(error)) throw error;
      const message = "Cannot tell whether the database has written: the connection broke within the commit";
      throw new DatabaseError("commit_unknown", message, { cause: error });
    }
    // The server answers ROLLBACK if a statement of the transaction failed.
    if (result.command !== "COMMIT") {
      throw new DatabaseError("not_written", "Cannot rely on commit: the database rolled it back");
    }
    if (health.fault()?.code === "read_only") health.recover();
  }

  /** Begins a transaction, with all statements sent at once. Rejects with an error that says that it has not begun. */
  async function begin(client: PoolClient, how: PostgresMeans["access"], scope?: Scope): Promise<void> {
    try {
      await Promise.all([client.query(BEGIN[how](scope)), how === "write" && assertSameSchema(client)]);
    } catch (error) {
      const reported = noted(error);
      throw reported instanceof Error ? markNotBegun(reported) : reported;
    }
  }

  /** Must be called with the mutex acquired. */
  async function runJob<T>(
    client: PoolClient,
    how: PostgresMeans["access"],
    job: Job<T>,
    scope?: Scope,
  ): Promise<T> {
    let hasBegun = false;
    let hasEnded = false;
    let first: unknown;
    const refuse = (error: unknown): Promise<never> => {
      const reported = noted(error);
      if (isAfterFault(error)) return Promise.reject(first ?? reported);
      first ??= reported;
      return Promise.reject(reported);
    };
    const begun = begin(client, how, scope).then(() => void (hasBegun = true), refuse);
    const settled = begun.catch(() => {});
    const send = <R>(query: CompiledQuery): Promise<QueryResult<R>> =>
      hasEnded
        ? Promise.reject(new TypeError("Cannot run statement: its transaction has ended"))
        : execute<R>(client, query).catch(refuse);
    // Without the transaction the server would commit a write by itself, and read before it has the locks.
    const sendFirst = async <R>(query: CompiledQuery): Promise<QueryResult<R>> => {
      if (!isReading(query)) return await begun.then(() => send<R>(query));
      const [, result] = await Promise.allSettled([begun, send<R>(query)]);
      await begun;
      if (result.status === "rejected") throw result.reason;
      return result.value;
    };
    const run: Run = <R>(query: CompiledQuery) => hasBegun ? send<R>(query) : sendFirst<R>(query);
    try {
      const value = await job(run);
      hasEnded = true;
      await begun;
      await commit(client);
      return value;
    } catch (error) {
      hasEnded = true;
      // Never replaces the original error. A connection that fails to roll back is not used again.
      if (!(error instanceof DatabaseError && error.code === "commit_unknown")) await rollback(client);
      await settled;
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
      return await withClient(readers, (client) => execute<R>(client, query));
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

async function rollback(client: PoolClient): Promise<void> {
  await client.query("rollback").catch((error: unknown) => client.emit("error", error as Error));
}
