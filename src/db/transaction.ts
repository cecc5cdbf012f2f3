import type { Kysely } from "kysely";
import { prepareCommit } from "./commit-hooks.ts";
import type { Scope } from "./engine.ts";
import { engineOf, inTransaction } from "./port.ts";

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
