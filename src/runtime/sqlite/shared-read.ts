import process from "node:process";
import { CompiledQuery } from "kysely";
import type { SqliteConnection } from "./connection.ts";

const BEGIN = CompiledQuery.raw("begin");
const COMMIT = CompiledQuery.raw("commit");

export interface SharedRead {
  /**
   * Returns `SqliteConnection.dataVersion`, read once before the event loop's next event, and once in each transaction,
   * in which it does not change.
   */
  dataVersion(): number;
  /** Must be called before each read. Begins the transaction if none is open. */
  join(): void;
  /** Must be called before any other statement. */
  end(): void;
  /** Must be called when a transaction has begun, and when it has ended. */
  forget(): void;
}

/**
 * Shares one read transaction among the reads before the event loop's next event, because locking takes longer than
 * reading a row. No event that could require another process's later write can arrive in between.
 */
export function createSharedRead(connection: SqliteConnection): SharedRead {
  let isOpen = false;
  let version: number | undefined;

  function dataVersion(): number {
    if (version === undefined) {
      version = connection.dataVersion();
      if (!isOpen) process.nextTick(end);
    }
    return version;
  }

  function join(): void {
    if (isOpen) return;
    void connection.execute(BEGIN);
    isOpen = true;
    process.nextTick(end);
  }

  function end(): void {
    version = undefined;
    if (!isOpen) return;
    isOpen = false;
    // SQLite ends it by itself after some errors.
    if (connection.inTransaction()) void connection.execute(COMMIT);
  }

  function forget(): void {
    version = undefined;
  }

  return { dataVersion, join, end, forget };
}
