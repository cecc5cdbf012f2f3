import { setTimeout as wait } from "node:timers/promises";
import type { CompiledQuery, DatabaseConnection, QueryResult } from "kysely";
import { DatabaseError, isBusy } from "../db/error.ts";
import { createTurns } from "./sqlite-turns.ts";
import type { Turns } from "./sqlite-turns.ts";

/** Milliseconds between attempts, about: the last one stays. Another process's commit is over in a few. */
const PAUSES = [1, 2, 5, 10, 15, 20, 25];

/** What a patient connection needs to know. */
export interface PatienceOptions {
  /** Whose turn it is on the connection: every statement on it is run in its caller's turn. */
  readonly turns: Turns;
  /** Whether a transaction is open on the connection. */
  readonly inTransaction: () => boolean;
  /** Milliseconds. */
  readonly patience: number;
}

/**
 * A connection whose statements wait for another process's write lock while everything else goes on: SQLite's own
 * waiting would stop the event loop. A statement that found the lock taken has done nothing and can be repeated;
 * between the attempts others have their turns on the connection, of which reading needs no lock. Who waits longer
 * than `patience` gets `DatabaseError` `busy`. Inside a transaction nothing waits: it has the lock.
 */
export function patientConnection(
  base: DatabaseConnection,
  { turns, inTransaction, patience }: PatienceOptions,
): DatabaseConnection {
  // One tries at a time, or a thousand requests that wait would leave no time for the others.
  const waiting = createTurns(patience, stillBusy);

  async function executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      return await base.executeQuery<R>(query);
    } catch (error) {
      if (!isBusy(error) || inTransaction()) throw error;
    }
    const deadline = performance.now() + patience;
    await turns.aside(() => waiting.take());
    try {
      return await retry<R>(query, deadline);
    } finally {
      waiting.give();
    }
  }

  async function retry<R>(query: CompiledQuery, deadline: number): Promise<QueryResult<R>> {
    for (let attempt = 0;; attempt++) {
      try {
        return await base.executeQuery<R>(query);
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (performance.now() >= deadline) throw stillBusy(error);
      }
      // Not in step with another process that waits too.
      const pause = PAUSES[Math.min(attempt, PAUSES.length - 1)]! * (0.5 + Math.random());
      await turns.aside(() => wait(pause));
    }
  }

  return { executeQuery, streamQuery: (query, chunkSize) => base.streamQuery(query, chunkSize) };
}

function stillBusy(cause?: unknown): DatabaseError {
  return new DatabaseError("busy", "Cannot write to database: another process held its lock too long", {
    cause,
  });
}
