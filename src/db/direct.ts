import type { CompiledQuery } from "kysely";
import { DIRECT_RUNNER } from "./direct-runner.ts";
import type { DirectRunner } from "./direct-runner.ts";
import { isLiveTransaction } from "./live-transaction.ts";
import type { Db } from "./schema.ts";

/** Runs a compiled query on the shortest way there is, and answers its rows. */
export async function runCompiled<R>(
  db: Db,
  query: CompiledQuery<R>,
  parameters: readonly unknown[] = query.parameters,
): Promise<R[]> {
  const { adapter } = db.getExecutor();
  const runner = (adapter as { readonly [DIRECT_RUNNER]?: DirectRunner })[DIRECT_RUNNER];
  if (runner !== undefined) {
    // A handle kept beyond its transaction goes the long way, where it is refused.
    if (isLiveTransaction(db)) return runner.inTransaction<R>(query.sql, parameters);
    const rows = db.isTransaction ? undefined : runner.now<R>(query.sql, parameters);
    if (rows !== undefined) return rows;
  }
  return (await db.executeQuery<R>({ ...query, parameters })).rows;
}
