import type { Kysely } from "kysely";
import type { Scope } from "./engine.ts";
import { engineOf, type Handle, inTransaction, setStateIn, transactionStateOf } from "./port.ts";
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
  let committed = (): void => {};
  const value = await inTransaction<D, T>(db, engineOf(db).transaction, async (tx) => {
    const value = await job(tx);
    committed = await prepareCommit(tx);
    return value;
  }, scope);
  committed();
  return value;
}

/**
 * Returns the values of parts of a job whose statements reach the database together. Rejects with the error of the first
 * part that failed, once all have ended, because none may go on when the job is over.
 */
export async function together<T extends readonly unknown[]>(
  ...parts: T
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const settled = await Promise.allSettled(parts);
  for (const part of settled) if (part.status === "rejected") throw part.reason;
  return settled.map((part) => (part as PromiseFulfilledResult<unknown>).value) as never;
}

export interface CommitHook {
  /** Runs before the commit, in the transaction. Rolls it back by rejecting. */
  readonly before: () => Promise<void>;
  /** Runs after the commit, before the caller resumes. Must not throw. */
  readonly after: () => void;
}

type Hooks = ReadonlyMap<symbol, CommitHook>;

const HOOKS = Symbol("commit hooks");

/** Registers a hook for the transaction's end, replacing one of that name. A rollback to a savepoint removes it. */
export function atCommit(tx: Db, name: symbol, hook: CommitHook): void {
  setTransactionState(tx, HOOKS, new Map(getTransactionState<Hooks>(tx, HOOKS)).set(name, hook));
}

/** Runs the hooks' `before` callbacks. Returns a function that runs the `after` callbacks. */
export async function prepareCommit(tx: Handle): Promise<() => void> {
  const hooks = [...getTransactionState<Hooks>(tx, HOOKS)?.values() ?? []];
  for (const { before } of hooks) await before();
  return () => {
    for (const { after } of hooks) after();
  };
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
