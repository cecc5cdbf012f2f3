import process from "node:process";
import { CompiledQuery } from "kysely";
import type { SqliteConnection } from "./connection.ts";

const BEGIN = CompiledQuery.raw("begin");
const COMMIT = CompiledQuery.raw("commit");

export interface SharedRead {
  /** Must be called before each read. Begins the transaction if none is open. */
  join(): void;
  /** Must be called before any other statement. */
  end(): void;
}

/**
 * Shares one read transaction among the reads before the event loop's next event, because locking takes longer than
 * reading a row. No event that could require another process's later write can arrive in between.
 */
export function createSharedRead(connection: SqliteConnection): SharedRead {
  let isOpen = false;

  function join(): void {
    if (isOpen) return;
    void connection.execute(BEGIN);
    isOpen = true;
    process.nextTick(end);
  }

  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    // SQLite ends it by itself after some errors.
    if (connection.inTransaction()) void connection.execute(COMMIT);
  }

  return { join, end };
}
