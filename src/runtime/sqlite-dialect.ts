import { CompiledQuery, SqliteAdapter } from "kysely";
import type { DatabaseConnection, Dialect, DialectAdapter, Driver } from "kysely";
import { DatabaseError, isDiskFailure } from "../db/error.ts";
import { createTurns } from "./sqlite-turns.ts";

/** What either runtime's database must tell the driver. */
export interface SqliteHandle {
  /** Whether a transaction is open on the connection. */
  inTransaction(): boolean;
}

const BEGIN_IMMEDIATE = CompiledQuery.raw("begin immediate");
const ROLLBACK = CompiledQuery.raw("rollback");

/**
 * A SQLite dialect as a server needs it, around either runtime's own: transactions take the write lock when they
 * begin (a read lock cannot wait to become a write lock: with four processes a fifth of all transactions failed),
 * and DDL runs inside them, so that migrations are all or nothing.
 */
export function serverDialect(base: Dialect, handle: SqliteHandle): Dialect {
  return {
    createDriver: () => serverDriver(base.createDriver(), handle),
    createAdapter: transactionalDdlAdapter,
    createQueryCompiler: () => base.createQueryCompiler(),
    createIntrospector: (db) => base.createIntrospector(db),
  };
}

function transactionalDdlAdapter(): DialectAdapter {
  return Object.defineProperty(new SqliteAdapter(), "supportsTransactionalDdl", { value: true });
}

function serverDriver(base: Driver, handle: SqliteHandle): Driver {
  const turns = createTurns();
  let failure: unknown;

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
    init: () => base.init(),
    acquireConnection: async () => {
      await turns.take();
      return await base.acquireConnection();
    },
    beginTransaction,
    commitTransaction,
    rollbackTransaction,
    releaseConnection: async (connection) => {
      await base.releaseConnection(connection);
      turns.give();
    },
    destroy: () => base.destroy(),
  };
}
