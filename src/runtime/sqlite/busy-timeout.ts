import { setTimeout as wait } from "node:timers/promises";
import { DatabaseError } from "../../db/error.ts";
import { isBusy } from "./error.ts";
import { type ConnectionMutex, createConnectionMutex } from "../mutex.ts";

/** Milliseconds between attempts, randomised; the last repeats. Another process's commit takes a few. */
const PAUSES = [1, 2, 5, 10, 15, 20, 25];

/** Must be called with the mutex acquired. */
export type RetryWhileBusy = <T>(attempt: () => Promise<T>) => Promise<T>;

/**
 * Waits for another process's write lock without blocking the event loop, as SQLite's own wait would. A busy
 * statement did nothing and can be repeated. Between attempts the mutex is released for others, of which readers need
 * no lock. Throws `DatabaseError` `busy` after `busyTimeout` milliseconds. Not for use inside a transaction, which
 * already has the lock.
 */
export function createBusyRetry(mutex: ConnectionMutex, busyTimeout: number): RetryWhileBusy {
  // One caller retries at a time. A thousand retrying requests would leave no time for others.
  const waiting = createConnectionMutex(busyTimeout, stillBusy);

  async function retryWhileBusy<T>(attempt: () => Promise<T>): Promise<T> {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    const deadline = performance.now() + busyTimeout;
    await mutex.yieldWhile(() => waiting.acquire());
    try {
      return await retry(attempt, deadline);
    } finally {
      waiting.release();
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
      // Randomised, to avoid retrying in step with another process.
      const pause = PAUSES[Math.min(count, PAUSES.length - 1)]! * (0.5 + Math.random());
      await mutex.yieldWhile(() => wait(pause));
    }
  }

  return retryWhileBusy;
}

function stillBusy(cause?: unknown): DatabaseError {
  return new DatabaseError("busy", "Cannot write to database: another process held its lock too long", {
    cause,
  });
}
