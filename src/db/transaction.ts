import { prepareCommit } from "./commit-hooks.ts";
import { whileLive } from "./live-transaction.ts";
import type { Db } from "./schema.ts";

/**
 * Runs the job in a transaction that commits when it fulfils and rolls back when it rejects; a `db` that is a
 * transaction already is used as it is, and its owner commits. The job uses only the `tx` it is given: the outer
 * handle would wait for the transaction to end, and is refused after the connection's time limit.
 */
export async function transaction<T>(db: Db, job: (tx: Db) => Promise<T>): Promise<T> {
  if (db.isTransaction) return await job(db);
  let committed = (): void => {};
  const value = await db.transaction().execute((tx) =>
    whileLive(tx, async () => {
      const value = await job(tx);
      committed = await prepareCommit(tx);
      return value;
    })
  );
  committed();
  return value;
}
