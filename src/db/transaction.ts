import type { Kysely } from "kysely";
import { type Attempt, attemptOf, beginAttempt, isSpeculative, STALE } from "./attempt.ts";
import type { Scope } from "./engine.ts";
import { engineState } from "./engine-state.ts";
import { DatabaseError, type DatabaseErrorCode, hasNotBegun } from "./error.ts";
import { engineOf, type Handle, inTransaction, languageOf, setStateIn, transactionStateOf } from "./port.ts";
import type { Db } from "./schema/schema.ts";

/**
 * Runs the job in a transaction that commits when it fulfils and rolls back when it rejects. If `db` is a transaction
 * already, the job joins it, and its owner commits. The job must use only the `tx` that it receives: the outer handle
 * would wait for the transaction to end, and is refused after the engine's time limit. With a scope, other
 * transactions may write concurrently (`Engine.transaction`).
 */
export async function transaction<D, T>(
  db: Kysely<D>,
  job: (tx: Kysely<D>) => Promise<T>,
  scope?: Scope,
): Promise<T> {
  if (db.isTransaction) return await job(db);
  return await finish(await commit(db, job, scope));
}

/** A committed transaction. */
interface Committed<T> {
  readonly value: T;
  readonly end: PreparedCommit;
}

/** Rejects if the transaction was rolled back. */
async function commit<D, T>(
  db: Kysely<D>,
  job: (tx: Kysely<D>) => Promise<T>,
  scope: Scope | undefined,
): Promise<Committed<T>> {
  let end: PreparedCommit | undefined;
  try {
    const value = await inTransaction<D, T>(db, engineOf(db).transaction, async (tx) => {
      end = undefined;
      const value = await job(tx);
      end = await prepareCommit(tx);
      return value;
    }, scope);
    return { value, end: end! };
  } catch (error) {
    // The engine only knows that a statement before the commit failed.
    if (error instanceof DatabaseError && error.code === "not_written") await end?.verified;
    throw error;
  }
}

async function finish<T>({ value, end }: Committed<T>): Promise<T> {
  if (end.verified !== undefined) await end.verified;
  end.committed();
  return value;
}

/** The number of transactions that do not try after one whose attempt failed, as when other processes write much. */
const ATTEMPT_PAUSE = 16;

const PAUSE = Symbol("transactions before the next attempt");

/**
 * Runs the job as `transaction` does, but as an attempt (`Attempt`), which takes fewer round trips to a server. Returns
 * undefined if nothing was written and the job must run by `transaction`. If the job alone rejects, and did not rely
 * on anything, so does this function.
 */
export async function attemptTransaction<T>(
  db: Db,
  job: (tx: Db) => Promise<T>,
  scope: Scope,
): Promise<{ readonly value: T } | undefined> {
  if (languageOf(db).requireOneRow === undefined) return undefined;
  const pause = engineState(db, PAUSE, () => ({ left: 0 }));
  if (pause.left > 0) {
    pause.left--;
    return undefined;
  }
  let attempt: Attempt | undefined;
  let hasRun = false;
  let committed: Committed<T>;
  try {
    committed = await commit(db, async (tx) => {
      attempt = beginAttempt(tx);
      hasRun = false;
      const value = await job(tx);
      hasRun = true;
      return value;
    }, scope);
  } catch (error) {
    if (attempt === undefined || !isSpeculative(attempt) || isFinal(error)) throw error;
    // `STALE` says nothing of other processes: a job for which the owner must be asked records nothing.
    if (hasRun && error !== STALE) pause.left = ATTEMPT_PAUSE;
    return undefined;
  }
  return { value: await finish(committed) };
}

/** The faults of the database that an attempt may cause by what it relied on. */
const OF_ATTEMPTS: ReadonlySet<DatabaseErrorCode> = new Set([
  "conflict",
  "inconsistent",
  "not_written",
  "wrong_row",
]);

/** Returns true if another transaction would fail too, or if the attempt may have been committed. */
function isFinal(error: unknown): boolean {
  return hasNotBegun(error) || (error instanceof DatabaseError && !OF_ATTEMPTS.has(error.code));
}

interface PreparedCommit {
  readonly verified: Promise<unknown> | undefined;
  /** Runs the `after` callbacks. */
  readonly committed: () => void;
}

/**
 * Returns the values of parts of a job whose statements reach the database together. Rejects with the error of the
 * first part that failed, once all have ended, because none may go on when the job is over.
 */
export async function together<T extends readonly unknown[]>(
  ...parts: T
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const settled = await Promise.allSettled(parts);
  for (const part of settled) if (part.status === "rejected") throw part.reason;
  return settled.map((part) => (part as PromiseFulfilledResult<unknown>).value) as never;
}

export interface CommitHook {
  /**
   * Runs before the commit, in the transaction. Rolls it back by rejecting. It may return a check of statements that it
   * has sent, which is awaited after the commit. One of them must then fail on the server if the check will fail.
   */
  readonly before: () => Promise<void | { readonly verified: Promise<unknown> | undefined }>;
  /** Runs after the commit and the checks, before the caller resumes. Must not throw. */
  readonly after: () => void;
}

type Hooks = ReadonlyMap<symbol, CommitHook>;

const HOOKS = Symbol("commit hooks");

/** Registers a hook for the transaction's end, replacing one of that name. A rollback to a savepoint removes it. */
export function atCommit(tx: Db, name: symbol, hook: CommitHook): void {
  setTransactionState(tx, HOOKS, new Map(getTransactionState<Hooks>(tx, HOOKS)).set(name, hook));
}

/** Runs the hooks' `before` callbacks. */
async function prepareCommit(tx: Handle): Promise<PreparedCommit> {
  const hooks = [...getTransactionState<Hooks>(tx, HOOKS)?.values() ?? []];
  const checks: Promise<unknown>[] = [];
  for (const { before } of hooks) {
    const verified = (await before())?.verified;
    if (verified !== undefined) checks.push(verified);
  }
  const attempt = attemptOf(tx);
  if (attempt?.reliesOn !== undefined && !attempt.isLogChecked) throw STALE;
  checks.push(...attempt?.sent ?? []);
  const verified = checks.length === 0 ? undefined : together(...checks);
  // Awaited after the commit.
  verified?.catch(() => {});
  const committed = (): void => {
    for (const { after } of hooks) after();
  };
  return { verified, committed };
}

/** Returns a value from the transaction's state. The write lock keeps a cached row from changing meanwhile. */
export function getTransactionState<T>(tx: Handle, name: symbol): T | undefined {
  return transactionStateOf(tx)?.get(name) as T | undefined;
}

/** Stores a value for the rest of the transaction, or until a rollback to a savepoint. */
export function setTransactionState(tx: Handle, name: symbol, value: unknown): void {
  setStateIn(tx, name, value);
}

/** Returns a copy of the transaction's state, for `restoreTransactionState`. */
export function copyTransactionState(tx: Handle): ReadonlyMap<symbol, unknown> {
  return new Map(transactionStateOf(tx));
}

/** Restores the transaction's state. Call it after a rollback to a savepoint. */
export function restoreTransactionState(tx: Handle, saved: ReadonlyMap<symbol, unknown>): void {
  const transactionState = transactionStateOf(tx);
  transactionState?.clear();
  for (const [name, value] of saved) transactionState?.set(name, value);
}
