import { DatabaseError } from "../db/error.ts";

/** Milliseconds a query waits for the one connection. Longer than any transaction of ours. */
const PATIENCE = 10_000;

/** Whose turn it is on the one connection: first come, first served. */
export interface Turns {
  /** Resolves when it is the caller's turn. Rejects with `connection_timeout` when the turn does not come. */
  take(): Promise<void>;
  /** Ends the caller's turn. */
  give(): void;
}

/**
 * kysely's own lock wakes everybody at each release and waits for ever, so that a job using the outer handle inside
 * its transaction would stop the service; here such a job gets an error, rolls back and frees the connection.
 */
export function createTurns(patience: number = PATIENCE): Turns {
  const waiting: (() => void)[] = [];
  let taken = false;

  async function take(): Promise<void> {
    if (!taken) {
      taken = true;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      waiting.splice(waiting.indexOf(start), 1);
      reject(
        new DatabaseError(
          "connection_timeout",
          "Cannot reach database: a transaction held the connection too long, or used the outer handle",
        ),
      );
    }, patience);
    function start(): void {
      clearTimeout(timer);
      resolve();
    }
    waiting.push(start);
    await promise;
  }

  function give(): void {
    const next = waiting.shift();
    if (next === undefined) taken = false;
    else next();
  }

  return { take, give };
}
