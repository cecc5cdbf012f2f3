import type { Kysely } from "kysely";
import type { Scope } from "./engine.ts";
import { engineOf, inTransaction, memoryOf, rememberIn } from "./port.ts";
import type { Handle } from "./port.ts";
import type { Db } from "./schema/schema.ts";

/**
 * Runs the job in a transaction that commits when it fulfils and rolls back when it rejects; a `db` that is a
 * transaction already is used as it is, and its owner commits. The job uses only the `tx` it is given: the outer
 * handle would wait for the transaction to end, and is refused after the engine's time limit. With a scope others may
 * write beside it, as the engine says.
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

/** What somebody does at the end of a transaction that they wrote in. */
export interface CommitHook {
  /** Before the commit, in the transaction: rolls it back by rejecting. */
  readonly before: () => Promise<void>;
  /** After the commit, before anybody hears of it. Must not throw. */
  readonly after: () => void;
}

type Hooks = ReadonlyMap<symbol, CommitHook>;

const HOOKS = Symbol("commit hooks");

/**
 * Asks for a hook at the end of the transaction, in place of one of the same name. What is rolled back to a savepoint
 * takes the hooks along that were asked for since.
 */
export function atCommit(tx: Db, name: symbol, hook: CommitHook): void {
  remember(tx, HOOKS, new Map(recall<Hooks>(tx, HOOKS)).set(name, hook));
}

/** Does what is to be done before the commit, and gives what is to be done after it. */
export async function prepareCommit(tx: Handle): Promise<() => void> {
  const hooks = [...recall<Hooks>(tx, HOOKS)?.values() ?? []];
  for (const { before } of hooks) await before();
  return () => {
    for (const { after } of hooks) after();
  };
}

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
