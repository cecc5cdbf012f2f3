import { DatabaseError } from "../db/error.ts";

/** Milliseconds a query waits for the one connection. Longer than any transaction of ours. */
const PATIENCE = 10_000;

/** Whose turn it is on the one connection: first come, first served. */
export interface Turns {
  /** Resolves when it is the caller's turn. Rejects with the refusal when the turn does not come in time. */
  take(): Promise<void>;
  /** Whether it is anybody's turn now. */
  isTaken(): boolean;
  /** Ends the caller's turn. */
  give(): void;
  /**
   * Lets others have their turns while the job runs, and then waits for the caller's next one, however long: whatever
   * comes of the job, it is the caller's turn again.
   */
  aside<T>(job: () => Promise<T>): Promise<T>;
}

/**
 * kysely's own lock wakes everybody at each release and waits for ever, so that a job using the outer handle inside
 * its transaction would stop the service; here such a job gets an error, rolls back and frees the connection.
 * `patience` is in milliseconds; the refusal is `connection_timeout` unless the caller has another.
 */
export function createTurns(
  patience: number = PATIENCE,
  refusal: () => DatabaseError = heldTooLong,
): Turns {
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
      reject(refusal());
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

  async function aside<T>(job: () => Promise<T>): Promise<T> {
    give();
    try {
      return await job();
    } finally {
      if (taken) await new Promise<void>((resolve) => waiting.push(resolve));
      else taken = true;
    }
  }

  return { take, isTaken: () => taken, give, aside };
}

function heldTooLong(): DatabaseError {
  return new DatabaseError(
    "connection_timeout",
    "Cannot reach database: a transaction held the connection too long, or used the outer handle",
  );
}
