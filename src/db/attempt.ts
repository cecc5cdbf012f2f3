import { type Handle, requiringOneRow, transactionStateOf } from "./port.ts";
import type { Db } from "./schema/schema.ts";

/**
 * A transaction that relies on what is in memory and does not wait for its writes. The server rolls it back if one of
 * its statements does anything else than expected. It then runs again, without relying on anything.
 */
export interface Attempt {
  /** The statements whose answers are awaited after the commit. */
  readonly sent: Promise<unknown>[];
  /** The number of the log's last entry when the used values were the newest; undefined if none was used. */
  reliesOn: number | undefined;
  /** True once a statement was sent that fails on the server if the log has gone on since. */
  isLogChecked: boolean;
}

/** The error of an attempt whose values in memory are not known to be the newest. */
export const STALE = new Error("Cannot commit attempt: the log may have gone on");

/** Keyed by the state of the transaction. */
const attempts = new WeakMap<object, Attempt>();

/** Makes a transaction an attempt. Call it before its first statement. */
export function beginAttempt(tx: Handle): Attempt {
  const attempt: Attempt = { sent: [], reliesOn: undefined, isLogChecked: false };
  attempts.set(transactionStateOf(tx)!, attempt);
  return attempt;
}

/** Returns undefined for a transaction that is no attempt, and outside of transactions. */
export function attemptOf(tx: Handle): Attempt | undefined {
  const state = transactionStateOf(tx);
  return state && attempts.get(state);
}

/** Returns true if the outcome of an attempt may differ from that of another transaction with its job. */
export function isSpeculative({ sent, reliesOn, isLogChecked }: Attempt): boolean {
  return sent.length > 0 || reliesOn !== undefined || isLogChecked;
}

/** Awaits a statement of an attempt after the commit. The statement must fail on the server if it rejects. */
export function awaitLater(attempt: Attempt, sent: Promise<unknown>): void {
  // Another statement may fail first.
  sent.catch(() => {});
  attempt.sent.push(sent);
}

/**
 * Runs a write of one row and waits for it. In an attempt it does not wait: the server fails the statement unless it
 * writes exactly one row, and with `mac` a row that it returns with this MAC.
 */
export function writeOne(
  tx: Db,
  write: (tx: Db) => Promise<void>,
  mac?: Uint8Array,
): Promise<void> {
  const attempt = attemptOf(tx);
  if (attempt === undefined) return write(tx);
  awaitLater(attempt, write(requiringOneRow(tx, mac)));
  return Promise.resolve();
}
