import { CompiledQuery, SqliteAdapter } from "kysely";
import type { DatabaseConnection, Dialect, DialectAdapter, Driver } from "kysely";
import { DIRECT_RUNNER } from "../db/direct-runner.ts";
import type { DirectRunner } from "../db/direct-runner.ts";
import { DatabaseError, isBusy, isDiskFailure } from "../db/error.ts";
import { patientConnection } from "./sqlite-patience.ts";
import { createTurns } from "./sqlite-turns.ts";
import type { Turns } from "./sqlite-turns.ts";

/** What either runtime's database must tell the driver. */
export interface SqliteHandle {
  /** Whether a transaction is open on the connection. */
  inTransaction(): boolean;
  /** Runs a statement and gives its rows. */
  run(sql: string, parameters: readonly unknown[]): unknown[];
}

/** Milliseconds a statement waits for another process's write lock. */
const BUSY_PATIENCE = 5000;

const BEGIN_IMMEDIATE = CompiledQuery.raw("begin immediate");
const ROLLBACK = CompiledQuery.raw("rollback");

/**
 * A SQLite dialect as a server needs it, around either runtime's own: transactions take the write lock when they
 * begin (a read lock cannot wait to become a write lock: with four processes a fifth of all transactions failed),
 * and DDL runs inside them, so that migrations are all or nothing. A statement that finds the lock taken waits, with
 * the event loop free, for `patience` milliseconds and then throws `DatabaseError` `busy`: the base must not wait itself.
 */
export function serverDialect(
  base: Dialect,
  handle: SqliteHandle,
  patience: number = BUSY_PATIENCE,
): Dialect {
  const turns = createTurns();
  const adapter = serverAdapter(directRunner(handle, turns));
  return {
    createDriver: () => serverDriver(base.createDriver(), handle, { turns, patience }),
    createAdapter: () => adapter,
    createQueryCompiler: () => base.createQueryCompiler(),
    createIntrospector: (db) => base.createIntrospector(db),
  };
}

function serverAdapter(runner: DirectRunner): DialectAdapter {
  return Object.defineProperties(new SqliteAdapter(), {
    supportsTransactionalDdl: { value: true },
    [DIRECT_RUNNER]: { value: runner },
  });
}

/** Statements at once: inside a transaction it is its turn anyway, outside when it is nobody's. */
function directRunner({ inTransaction, run }: SqliteHandle, turns: Turns): DirectRunner {
  return {
    inTransaction<R>(sql: string, parameters: readonly unknown[]): R[] {
      if (!inTransaction()) throw new TypeError("Cannot run statement: its transaction is over");
      return run(sql, parameters) as R[];
    },
    now<R>(sql: string, parameters: readonly unknown[]): R[] | undefined {
      if (turns.isTaken()) return undefined;
      try {
        return run(sql, parameters) as R[];
      } catch (error) {
        // Another process has the write lock: the long way waits for it.
        if (isBusy(error)) return undefined;
        throw error;
      }
    },
  };
}

function serverDriver(
  base: Driver,
  handle: SqliteHandle,
  { turns, patience }: { turns: Turns; patience: number },
): Driver {
  let only: DatabaseConnection;
  let failure: unknown;

  async function init(): Promise<void> {
    await base.init();
    // Once: the base has its own lock, which the turns replace.
    const connection = await base.acquireConnection();
    only = patientConnection(connection, { turns, inTransaction: handle.inTransaction, patience });
  }

  async function beginTransaction(connection: DatabaseConnection): Promise<void> {
    if (failure !== undefined) {
      throw new DatabaseError("disk_failed", "Cannot begin transaction: the disk failed earlier", {
        cause: failure,
      });
    }
    await connection.executeQuery(BEGIN_IMMEDIATE);
  }

  async function commitTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await base.commitTransaction(connection);
    } catch (error) {
      // After a failed fsync nobody knows what is on the disk, and the next one may succeed without writing it.
      if (isDiskFailure(error)) failure = error;
      throw error;
    }
  }

  async function rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // SQLite rolls back by itself after some errors; a second one would hide the first error.
    if (handle.inTransaction()) await connection.executeQuery(ROLLBACK);
  }

  return {
    init,
    acquireConnection: async () => {
      await turns.take();
      return only;
    },
    beginTransaction,
    commitTransaction,
    rollbackTransaction,
    releaseConnection: () => {
      turns.give();
      return Promise.resolve();
    },
    destroy: () => base.destroy(),
  };
}
