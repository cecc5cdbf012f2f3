import { setTimeout as wait } from "node:timers/promises";
import { DatabaseError } from "../../db/error.ts";
import { isBusy } from "./error.ts";
import { createTurns } from "../mutex.ts";
import type { Turns } from "../mutex.ts";

/** Milliseconds between attempts, about: the last one stays. Another process's commit is over in a few. */
const PAUSES = [1, 2, 5, 10, 15, 20, 25];

/** Repeats in the caller's turn what found another process's lock taken, until it does not. */
export type Patiently = <T>(attempt: () => Promise<T>) => Promise<T>;

/**
 * Waits for another process's write lock while everything else goes on: SQLite's own waiting would stop the event
 * loop. A statement that found the lock taken has done nothing and can be repeated; between the attempts others have
 * their turns on the connection, of which reading needs no lock. Who waits longer than `patience`, in milliseconds,
 * gets `DatabaseError` `busy`. For nothing inside a transaction: it has the lock.
 */
export function createPatience(turns: Turns, patience: number): Patiently {
  // One tries at a time, or a thousand requests that wait would leave no time for the others.
  const waiting = createTurns(patience, stillBusy);

  async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    const deadline = performance.now() + patience;
    await turns.aside(() => waiting.take());
    try {
      return await retry(attempt, deadline);
    } finally {
      waiting.give();
    }
  }

  async function retry<T>(attempt: () => Promise<T>, deadline: number): Promise<T> {
    for (let count = 0;; count++) {
      try {
        return await attempt();
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (performance.now() >= deadline) throw stillBusy(error);
      }
      // Not in step with another process that waits too.
      const pause = PAUSES[Math.min(count, PAUSES.length - 1)]! * (0.5 + Math.random());
      await turns.aside(() => wait(pause));
    }
  }

  return patiently;
}

function stillBusy(cause?: unknown): DatabaseError {
  return new DatabaseError("busy", "Cannot write to database: another process held its lock too long", {
    cause,
  });
}
