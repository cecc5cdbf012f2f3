import type { Db } from "./schema.ts";

/** What is known in each transaction of ours that is open, by whoever knows it. */
const memories = new WeakMap<Db, Map<symbol, unknown>>();

/** Runs the job of a transaction, which is live until the job is over. */
export async function whileLive<T>(tx: Db, job: (tx: Db) => Promise<T>): Promise<T> {
  memories.set(tx, new Map());
  try {
    return await job(tx);
  } finally {
    memories.delete(tx);
  }
}

/** Whether this is the handle of a transaction of ours whose job still runs. */
export function isLiveTransaction(db: Db): boolean {
  return memories.has(db);
}

/** What a transaction remembers under a name, undefined when nothing: it holds the write lock, so that nobody else changes what it read. */
export function recall<T>(tx: Db, name: symbol): T | undefined {
  return memories.get(tx)?.get(name) as T | undefined;
}

/** Remembers a value for the rest of the transaction, or until something in it is rolled back. */
export function remember(tx: Db, name: symbol, value: unknown): void {
  memories.get(tx)?.set(name, value);
}

/** All that a transaction remembers, for `recallOnly`. */
export function knownIn(tx: Db): ReadonlyMap<symbol, unknown> {
  return new Map(memories.get(tx));
}

/** Forgets what was not known yet at that time: for whoever rolls back a part of the transaction. */
export function recallOnly(tx: Db, known: ReadonlyMap<symbol, unknown>): void {
  memories.set(tx, new Map(known));
}
