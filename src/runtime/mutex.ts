import { DatabaseError } from "../db/error.ts";

/** Milliseconds that a query waits for the connection. Longer than any transaction. */
const ACQUIRE_TIMEOUT = 10_000;

/** A first-in, first-out mutex on the single connection. */
export interface ConnectionMutex {
  /** Acquires the mutex. Rejects with the refusal after the time limit. */
  acquire(): Promise<void>;
  isLocked(): boolean;
  release(): void;
  /** Releases the mutex while the job runs. Acquires it again without a time limit, even if the job fails. */
  yieldWhile<T>(job: () => Promise<T>): Promise<T>;
}

/**
 * Creates a mutex with a time limit. Kysely's own lock wakes all waiting callers at each release and has no limit. A
 * job that uses the outer handle inside its transaction would block the service for ever. Here that job gets an
 * error, rolls back and releases the connection. `acquireTimeout` is in milliseconds; the default refusal is
 * `connection_timeout`.
 */
export function createConnectionMutex(
  acquireTimeout: number = ACQUIRE_TIMEOUT,
  refusal: () => DatabaseError = heldTooLong,
): ConnectionMutex {
  const waiting: (() => void)[] = [];
  let locked = false;

  async function acquire(): Promise<void> {
    if (!locked) {
      locked = true;
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

  function release(): void {
    const next = waiting.shift();
    if (next === undefined) locked = false;
    else next();
  }

  async function yieldWhile<T>(job: () => Promise<T>): Promise<T> {
    release();
    try {
      return await job();
    } finally {
      if (locked) await new Promise<void>((resolve) => waiting.push(resolve));
      else locked = true;
    }
  }

  return { acquire, isLocked: () => locked, release, yieldWhile };
}

function heldTooLong(): DatabaseError {
  return new DatabaseError(
    "connection_timeout",
    "Cannot reach database: a transaction held the connection too long, or used the outer handle",
  );
}
