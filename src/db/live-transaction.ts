import { memoryOf, rememberIn } from "./port.ts";
import type { Handle } from "./port.ts";

/**
 * What a transaction remembers under a name, undefined when nothing: it holds the write lock, so that nobody else
 * changes what it read.
 */
export function recall<T>(tx: Handle, name: symbol): T | undefined {
  return memoryOf(tx)?.get(name) as T | undefined;
}

/** Remembers a value for the rest of the transaction, or until something in it is rolled back. */
export function remember(tx: Handle, name: symbol, value: unknown): void {
  rememberIn(tx, name, value);
}

/** All that a transaction remembers, for `recallOnly`. */
export function knownIn(tx: Handle): ReadonlyMap<symbol, unknown> {
  return new Map(memoryOf(tx));
}

/** Forgets what was not known yet at that time: for whoever rolls back a part of the transaction. */
export function recallOnly(tx: Handle, known: ReadonlyMap<symbol, unknown>): void {
  const memory = memoryOf(tx);
  memory?.clear();
  for (const [name, value] of known) memory?.set(name, value);
}
