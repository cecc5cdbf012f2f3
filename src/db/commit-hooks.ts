import { recall, remember } from "./live-transaction.ts";
import type { Handle } from "./port.ts";
import type { Db } from "./schema.ts";

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
