import { DatabaseError } from "../db/error.ts";

/** Milliseconds that a query waits for the connection. Longer than any transaction. */
const ACQUIRE_TIMEOUT = 10_000;

/** A first-in, first-out mutex on the single connection. */
export interface Turns {
  /** Acquires the mutex. Rejects with the refusal after the time limit. */
  take(): Promise<void>;
  isTaken(): boolean;
  give(): void;
  /** Releases the mutex while the job runs. Acquires it again without a time limit, even if the job fails. */
  aside<T>(job: () => Promise<T>): Promise<T>;
}

/**
 * Creates a mutex with a time limit. Kysely's own lock wakes all waiting callers at each release and has no limit. A
 * job that uses the outer handle inside its transaction would block the service for ever. Here that job gets an
 * error, rolls back and releases the connection. `acquireTimeout` is in milliseconds; the default refusal is
 * `connection_timeout`.
 */
export function createTurns(
  acquireTimeout: number = ACQUIRE_TIMEOUT,
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
    }, acquireTimeout);
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
