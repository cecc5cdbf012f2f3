import { after } from "node:test";
import type { CompiledQuery } from "kysely";
import type { Pool } from "pg";
import { SCHEMA } from "../../src/db/dialect/postgres.ts";
import type { Engine, Run } from "../../src/db/engine.ts";
import { MIGRATION_TABLE } from "../../src/db/migrate.ts";
import type { PostgresAddress } from "../../src/lib/postgres-address.ts";
import { openPool, toPostgresValue } from "../../src/runtime/postgres/connection.ts";
import { openPostgres } from "../../src/runtime/postgres/open.ts";
import { readSchemaMark } from "../../src/runtime/postgres/schema.ts";
import { isOfService } from "./caller.ts";
import { createPostgresDatabase, dropPostgresDatabase, isOnPostgres, postgresAt } from "./postgres.ts";
import { asPostgres } from "./postgres-operator.ts";

// Lends migrated databases to the tests of a file, one test after another. A new database and the first statements on
// new connections take three quarters of the server's processor time of a short test.

/** A database of the tests' server, and connections that are open between tests. */
interface Stock {
  readonly name: string;
  readonly engines: readonly Engine[];
  /** Finds names in the schema, as an operator's connection does. */
  readonly operator: Pool;
  /** The schema's mark before the first test. */
  readonly mark: string;
}

/** Deletes the rows of all tables that ever had one, without triggers and references. */
const EMPTY = `begin; set local session_replication_role = replica;
  do $$ declare one regclass; begin
    for one in select oid from pg_class where relnamespace = '${SCHEMA}'::regnamespace and relkind = 'r'
        and relname not in ('${MIGRATION_TABLE}', '${MIGRATION_TABLE}_lock') and pg_relation_size(oid) > 0 loop
      execute format('delete from %s', one);
    end loop;
  end $$; commit`;

/** The databases that no test uses, by how they were borrowed. */
const returned = new Map<string, Stock>();

function runOn(pool: Pool): Run {
  return async <R>({ sql }: CompiledQuery) => ({ rows: (await pool.query(sql)).rows as R[] });
}

async function stockUp(count: number, connections: Partial<PostgresAddress>): Promise<Stock> {
  const name = await createPostgresDatabase();
  const address = { ...postgresAt(name), ...connections };
  const open = () => openPostgres({ ...address });
  const operator = await openPool(address, { use: "work", most: 1, setUp: [`set search_path = ${SCHEMA}`] });
  // An idle connection does not keep the process alive.
  operator.options.allowExitOnIdle = true;
  const mark = await readSchemaMark(runOn(operator), SCHEMA);
  return { name, engines: await Promise.all(Array.from({ length: count }, open)), operator, mark };
}

async function discard({ name, engines, operator }: Stock): Promise<void> {
  await Promise.all([operator.end(), ...engines.map((engine) => engine.close())]);
  await dropPostgresDatabase(name);
}

async function discardReturned(): Promise<void> {
  const all = [...returned.values()];
  returned.clear();
  await Promise.all(all.map(discard));
}

if (isOnPostgres) after(discardReturned);

/**
 * Returns an engine for one test, which cannot use it after its close. Calls `onClose` once, with true if the engine is
 * as it was.
 */
function lend(engine: Engine, onClose: (isUnchanged: boolean) => Promise<void>): Engine {
  const underWay = new Set<Promise<unknown>>();
  let isOpen = true;
  let isWatching = false;
  const during = async <T>(job: () => Promise<T>): Promise<T> => {
    if (!isOpen) throw new TypeError("Cannot use database: it is closed");
    const running = job();
    underWay.add(running);
    try {
      return await running;
    } finally {
      underWay.delete(running);
    }
  };
  return {
    ...engine,
    run: (query) => during(() => engine.run(query)),
    transaction: (job, scope) => during(() => engine.transaction(job, scope)),
    migration: (job) => during(() => engine.migration(job)),
    watchSchema: () => {
      isWatching = true;
      return during(() => engine.watchSchema());
    },
    readSchema: (migrations) => during(() => engine.readSchema(migrations)),
    readMigrations: (migrations) => during(() => engine.readMigrations(migrations)),
    findDamage: () => during(() => engine.findDamage()),
    check: () => during(() => engine.check()),
    health: {
      ...engine.health,
      watch: (listener) => engine.health.watch((fault) => isOpen && listener(fault)),
    },
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      await Promise.allSettled(underWay);
      await onClose(!isWatching);
    },
  };
}

/** Deletes the rows of a database that the next test may use. Returns false if a test changed more than rows. */
async function isReusable({ engines, operator, mark }: Stock): Promise<boolean> {
  if (engines.some((engine) => engine.health.fault() !== undefined)) return false;
  try {
    if (await readSchemaMark(runOn(operator), SCHEMA) !== mark) return false;
    await operator.query(EMPTY);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns an engine on which plain SQL of a test, without the schema's name, runs as the operator: on a connection that
 * finds names in the schema. The same SQL from the service fails, as in production.
 */
function withOperator({ engines: [engine], operator }: Stock): Engine {
  const run: Run = async <R>(query: CompiledQuery) => {
    if (query.query.kind !== "RawNode" || query.sql.includes(`"${SCHEMA}"`) || isOfService()) {
      return await engine!.run<R>(query);
    }
    const [first, ...more] = asPostgres(query.sql);
    const { rows, rowCount } = await operator.query(first!, query.parameters.map(toPostgresValue));
    for (const statement of more) await operator.query(statement);
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  };
  return { ...engine!, run };
}

/**
 * Lends engines over a migrated database without rows; closing the last one returns it. The next test gets it with the
 * same connections, unless a test changed or watched its schema, or met a fault of the database.
 */
async function borrow(
  key: string,
  make: () => Promise<Stock>,
  enginesOf: (stock: Stock) => readonly Engine[],
): Promise<readonly Engine[]> {
  const known = returned.get(key);
  returned.delete(key);
  const stock = known ?? await make();
  let borrowed = stock.engines.length;
  let areUnchanged = true;
  const onClose = async (isUnchanged: boolean): Promise<void> => {
    areUnchanged &&= isUnchanged;
    if (--borrowed > 0) return;
    if (areUnchanged && !returned.has(key) && await isReusable(stock)) returned.set(key, stock);
    else await discard(stock);
  };
  return enginesOf(stock).map((engine) => lend(engine, onClose));
}

/** Opens an engine over a database without rows. Plain SQL of a test runs as the operator (`withOperator`). */
export async function openTestPostgres(): Promise<Engine> {
  const [engine] = await borrow("operator", () => stockUp(1, {}), (stock) => [withOperator(stock)]);
  return engine!;
}

/** Opens engines over one database without rows. They share no state, as in separate processes. */
export async function openSeveral(count: number): Promise<readonly Engine[]> {
  return await borrow(String(count), () => stockUp(count, { readers: 2 }), ({ engines }) => engines);
}

/** Runs a job over engines of `openSeveral`. */
export async function inSeveral(
  count: number,
  job: (engines: readonly Engine[]) => Promise<void>,
): Promise<void> {
  const engines = await openSeveral(count);
  try {
    await job(engines);
  } finally {
    await Promise.all(engines.map((engine) => engine.close()));
  }
}
