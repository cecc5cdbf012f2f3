import { Kysely, Transaction } from "kysely";
import type { CompiledQuery, Dialect, Driver, KyselyProps, QueryExecutor, QueryResult } from "kysely";
import type { Engine, Job, Run, Scope } from "./engine.ts";
import type { Language } from "./dialect.ts";

/**
 * The connection between a kysely handle and an engine. Every statement passes through `executeQuery`, in a
 * transaction or not, freshly compiled or prepared.
 */
interface Port extends QueryExecutor {
  readonly executeQuery: Run;
  readonly engine: Engine;
  /** The transaction's state; undefined outside a transaction. */
  readonly transactionState: Map<symbol, unknown> | undefined;
  /** Undefined in a transaction, and for a handle that serves no single request. */
  readonly requestReads: RequestReads | undefined;
  /** Undefined if the transaction has exclusive access. */
  readonly scope: Scope | undefined;
  /** A callback for each value stored through this handle. */
  readonly onStateChange: () => void;
}

/** Values that one request read outside of transactions. */
export interface RequestReads {
  readonly known: Map<string, unknown>;
  /** Returns true if the values are out of date. */
  readonly isOver: () => boolean;
}

/** Creates a handle on an engine. Closing the handle closes the engine. */
export function connect<T>(engine: Engine): Kysely<T> {
  const { language, run } = engine;
  const compiler = language.createQueryCompiler();
  const port: Port = {
    engine,
    transactionState: undefined,
    requestReads: undefined,
    scope: undefined,
    onStateChange: () => {},
    executeQuery: run,
    adapter: language.createAdapter(),
    compileQuery: (node, queryId) => compiler.compileQuery(node, queryId),
    plugins: [],
    transformQuery: (node) => node,
    withoutPlugins: () => port,
    // Kysely's own ways to a connection. They would bypass the engine's locking.
    stream: refuse,
    provideConnection: refuse,
    withConnectionProvider: refuse,
    withPlugin: refuse,
    withPlugins: refuse,
    withPluginAtFront: refuse,
  };
  return new Kysely<T>(propertiesOf(port));
}

function refuse(): never {
  throw new TypeError("Cannot go past the database port: run queries, and transaction() for a transaction");
}

function propertiesOf(port: Port): KyselyProps {
  const driver = { destroy: () => port.engine.close() } as Driver;
  const dialect: Dialect = { ...port.engine.language, createDriver: () => driver };
  return { config: { dialect }, dialect, driver, executor: port };
}

export type Handle = Pick<Kysely<unknown>, "getExecutor">;

function portOf(db: Handle): Port {
  return db.getExecutor() as Port;
}

export function engineOf(db: Handle): Engine {
  return portOf(db).engine;
}

export function languageOf(db: Handle): Language {
  return engineOf(db).language;
}

export function transactionStateOf(db: Handle): Map<symbol, unknown> | undefined {
  return portOf(db).transactionState;
}

/** Stores a value in the transaction's state. Does nothing outside a transaction. */
export function setStateIn(db: Handle, name: symbol, value: unknown): void {
  const { transactionState, onStateChange } = portOf(db);
  transactionState?.set(name, value);
  onStateChange();
}

export function requestReadsOf(db: Handle): RequestReads | undefined {
  return portOf(db).requestReads;
}

/**
 * Returns a handle for one request, with values of its own until `isOver` returns true. Returns the same handle if the
 * engine tells of changes, which memory then follows.
 */
export function forRequest<T>(db: Kysely<T>, isOver: () => boolean): Kysely<T> {
  const outer = portOf(db);
  if (outer.engine.dataVersion !== undefined) return db;
  const requestReads = { known: new Map<string, unknown>(), isOver };
  const port: Port = { ...outer, requestReads, withoutPlugins: () => port };
  return new Kysely<T>(propertiesOf(port));
}

/** Returns true if other transactions may write concurrently. */
export function hasScope(db: Handle): boolean {
  return portOf(db).scope !== undefined;
}

export function lockAuditLog(tx: Handle): Promise<void> {
  const { engine, executeQuery } = portOf(tx);
  return engine.lockAuditLog(executeQuery);
}

/** Runs the job in a transaction that `begin` starts, with a state map of its own. */
export function inTransaction<T, R>(
  db: Kysely<T>,
  begin: (job: Job<R>, scope?: Scope) => Promise<R>,
  job: (tx: Kysely<T>) => Promise<R>,
  scope?: Scope,
): Promise<R> {
  return begin((run) => {
    const own = { executeQuery: run, transactionState: new Map<symbol, unknown>(), scope };
    const port: Port = { ...portOf(db), ...own, requestReads: undefined, withoutPlugins: () => port };
    return job(new Transaction<T>(propertiesOf(port)));
  }, scope);
}

/** Returns a handle that calls `onWrite` on each statement that writes or fails, and each value remembered. */
export function trackWrites<T>(tx: Kysely<T>, onWrite: () => void): Kysely<T> {
  const outer = portOf(tx);
  const executeQuery: Run = async <R>(query: CompiledQuery) => {
    try {
      const result = await outer.executeQuery<R>(query);
      if (query.query.kind !== "SelectQueryNode" && result.numAffectedRows !== 0n) onWrite();
      return result;
    } catch (error) {
      onWrite();
      throw error;
    }
  };
  const port: Port = { ...outer, executeQuery, onStateChange: onWrite, withoutPlugins: () => port };
  return new Transaction<T>(propertiesOf(port));
}

/**
 * Returns a handle on the same transaction whose writes fail on the server unless they write exactly one row. Use it
 * only for writes, and only if the dialect has `requireOneRow`. With `mac`, that row must have this MAC.
 */
export function requiringOneRow<T>(tx: Kysely<T>, mac?: Uint8Array): Kysely<T> {
  const outer = portOf(tx);
  const { requireOneRow } = outer.engine.language;
  const executeQuery: Run = async <R>(query: CompiledQuery) => {
    const parameters = mac === undefined ? query.parameters : [...query.parameters, mac];
    const sql = requireOneRow!(query.sql, mac && parameters.length);
    const { rows } = await outer.executeQuery<R>({ ...query, sql, parameters });
    return { rows, numAffectedRows: BigInt(rows.length) };
  };
  const port: Port = { ...outer, executeQuery, withoutPlugins: () => port };
  return new Transaction<T>(propertiesOf(port));
}

/** Returns the same transaction for kysely's migrator, which uses the given connection and begins no transaction. */
export function forMigrator<T>(tx: Kysely<T>): Kysely<T> {
  const outer = portOf(tx);
  const port: Port = {
    ...outer,
    provideConnection: (consumer) => consumer({ executeQuery: outer.executeQuery, streamQuery: refuse }),
    withConnectionProvider: () => port,
    // The migrator adds a plugin that does nothing if its tables have no schema of their own.
    withPlugin: () => port,
    withoutPlugins: () => port,
  };
  return new Kysely<T>(propertiesOf(port));
}

const rowsOf = <R>({ rows }: QueryResult<R>): R[] => rows;
const changesOf = ({ numAffectedRows }: QueryResult<unknown>): number => Number(numAffectedRows ?? 0n);

export function runCompiled<R>(
  db: Handle,
  query: CompiledQuery<R>,
  parameters: readonly unknown[] = query.parameters,
): Promise<R[]> {
  return execute(db, query, parameters).then(rowsOf);
}

/** Runs a compiled statement with these parameters, and returns the number of changed rows. */
export function changeCompiled(
  db: Handle,
  query: CompiledQuery,
  parameters: readonly unknown[],
): Promise<number> {
  return execute(db, query, parameters).then(changesOf);
}

/** Copies the members one by one: spreading the query takes longer than the statement cache lookup. */
function execute<R>(
  db: Handle,
  { query, queryId, sql }: CompiledQuery<R>,
  parameters: readonly unknown[],
): Promise<QueryResult<R>> {
  return portOf(db).executeQuery<R>({ query, queryId, sql, parameters });
}
