import process from "node:process";
import { CompiledQuery } from "kysely";
import type { SqliteConnection } from "./connection.ts";

const BEGIN = CompiledQuery.raw("begin");
const COMMIT = CompiledQuery.raw("commit");

/** A read transaction for what is read outside of one. */
export interface SharedRead {
  /** To be called before each read, which may be the first of it. */
  join(): void;
  /** To be called before whatever is no such read. */
  end(): void;
}

/**
 * Has reads share a read transaction that follow each other before the event loop takes its next event: a lock takes
 * longer to take and give back than a row to read. Nothing can have come meanwhile that should see what another process
 * wrote since the first of them.
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
