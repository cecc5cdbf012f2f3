import { Kysely, Transaction } from "kysely";
import type { CompiledQuery, Dialect, Driver, KyselyProps, QueryExecutor, QueryResult } from "kysely";
import type { Engine, Job, Run, Scope } from "./engine.ts";
import type { Language } from "./dialect.ts";

/**
 * What stands between a kysely handle and an engine: the one way on which a statement leaves, in a transaction or not,
 * compiled just now or long ago.
 */
interface Port extends QueryExecutor {
  readonly executeQuery: Run;
  readonly engine: Engine;
  /** What is known in this transaction, by whoever knows it; undefined outside of one. */
  readonly memory: Map<symbol, unknown> | undefined;
  /** What the transaction keeps to; undefined where it is alone. */
  readonly scope: Scope | undefined;
  /** Hears of whatever is remembered by this handle. */
  readonly onRemember: () => void;
}

/** A handle on an engine. Closing the handle closes the engine. */
export function connect<T>(engine: Engine): Kysely<T> {
  const { language, run } = engine;
  const compiler = language.createQueryCompiler();
  const port: Port = {
    engine,
    memory: undefined,
    scope: undefined,
    onRemember: () => {},
    executeQuery: run,
    adapter: language.createAdapter(),
    compileQuery: (node, queryId) => compiler.compileQuery(node, queryId),
    plugins: [],
    transformQuery: (node) => node,
    withoutPlugins: () => port,
    // What kysely has for ways of its own: none of them would know whose turn it is.
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

/** A handle on a database or on a transaction, whatever its tables. */
export type Handle = Pick<Kysely<unknown>, "getExecutor">;

function portOf(db: Handle): Port {
  return db.getExecutor() as Port;
}

/** The engine below a handle. */
export function engineOf(db: Handle): Engine {
  return portOf(db).engine;
}

/** How SQL is built for the engine below a handle. */
export function languageOf(db: Handle): Language {
  return engineOf(db).language;
}

/** What the transaction of a handle remembers; undefined outside of one. */
export function memoryOf(db: Handle): Map<symbol, unknown> | undefined {
  return portOf(db).memory;
}

/** Remembers a value in the transaction of a handle. */
export function rememberIn(db: Handle, name: symbol, value: unknown): void {
  const { memory, onRemember } = portOf(db);
  memory?.set(name, value);
  onRemember();
}

/** Whether others may write beside the transaction of a handle. */
export function hasScope(db: Handle): boolean {
  return portOf(db).scope !== undefined;
}

/** As the engine's, for the transaction of a handle. */
export function takePen(tx: Handle): Promise<void> {
  const { engine, executeQuery } = portOf(tx);
  return engine.takePen(executeQuery);
}

/** Gives the job a handle on the transaction that `begin` begins, with a memory of its own. */
export function inTransaction<T, R>(
  db: Kysely<T>,
  begin: (job: Job<R>, scope?: Scope) => Promise<R>,
  job: (tx: Kysely<T>) => Promise<R>,
  scope?: Scope,
): Promise<R> {
  return begin((run) => {
    const own = { executeQuery: run, memory: new Map<symbol, unknown>(), scope };
    const port: Port = { ...portOf(db), ...own, withoutPlugins: () => port };
    return job(new Transaction<T>(propertiesOf(port)));
  }, scope);
}

/**
 * Another handle on the same transaction, that tells of the first thing after which the transaction is not as it was: a
 * statement by it that wrote or failed, and whatever is remembered by it.
 */
export function noting<T>(tx: Kysely<T>, onTouch: () => void): Kysely<T> {
  const outer = portOf(tx);
  const executeQuery: Run = async <R>(query: CompiledQuery) => {
    try {
      const result = await outer.executeQuery<R>(query);
      if (query.query.kind !== "SelectQueryNode" && result.numAffectedRows !== 0n) onTouch();
      return result;
    } catch (error) {
      onTouch();
      throw error;
    }
  };
  const port: Port = { ...outer, executeQuery, onRemember: onTouch, withoutPlugins: () => port };
  return new Transaction<T>(propertiesOf(port));
}

/** The same transaction for kysely's migrator, which takes connections where they are given, and begins none. */
export function forMigrator<T>(tx: Kysely<T>): Kysely<T> {
  const outer = portOf(tx);
  const port: Port = {
    ...outer,
    provideConnection: (consumer) => consumer({ executeQuery: outer.executeQuery, streamQuery: refuse }),
    withConnectionProvider: () => port,
    // It adds one that does nothing where its tables have no schema of their own.
    withPlugin: () => port,
    withoutPlugins: () => port,
  };
  return new Kysely<T>(propertiesOf(port));
}

const rowsOf = <R>({ rows }: QueryResult<R>): R[] => rows;
const changesOf = ({ numAffectedRows }: QueryResult<unknown>): number => Number(numAffectedRows ?? 0n);

/** Runs a compiled query with these parameters, and gives its rows. */
export function runCompiled<R>(
  db: Handle,
  query: CompiledQuery<R>,
  parameters: readonly unknown[] = query.parameters,
): Promise<R[]> {
  return execute(db, query, parameters).then(rowsOf);
}

/** Runs a compiled statement that answers no rows with these parameters, and gives how many it changed. */
export function changeCompiled(
  db: Handle,
  query: CompiledQuery,
  parameters: readonly unknown[],
): Promise<number> {
  return execute(db, query, parameters).then(changesOf);
}

/** Member by member: to copy the whole query takes longer than to look its statement up. */
function execute<R>(
  db: Handle,
  { query, queryId, sql }: CompiledQuery<R>,
  parameters: readonly unknown[],
): Promise<QueryResult<R>> {
  return portOf(db).executeQuery<R>({ query, queryId, sql, parameters });
}
