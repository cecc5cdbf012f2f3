import { CompiledQuery } from "kysely";
import type { Run } from "../../db/engine.ts";

const INTEGRITY_CHECK = CompiledQuery.raw("pragma integrity_check(10)");
const FOREIGN_KEY_CHECK = CompiledQuery.raw("pragma foreign_key_check");

interface Dangling {
  readonly table: string;
  readonly parent: string;
}

export async function findDangling(run: Run): Promise<readonly Dangling[]> {
  return (await run<Dangling>(FOREIGN_KEY_CHECK)).rows;
}

/** Returns the faults of pages, indexes and references. Reads the whole database. */
export async function findSqliteDamage(run: Run): Promise<string[]> {
  const pages = (await run<{ integrity_check: string }>(INTEGRITY_CHECK)).rows;
  const references = await findDangling(run);
  return [
    ...pages.map((row) => row.integrity_check).filter((text) => text !== "ok"),
    ...references.slice(0, 10).map(({ table, parent }) => `a row of ${table} refers to no ${parent}`),
  ];
}
