import type { Db } from "../db/schema.ts";
import type { AuthorityKind, RowAuthority } from "../vault/authority.ts";
import { guessCount, listRows } from "./read.ts";
import type { AskedMany, ManyWay } from "./ways.ts";
import { removeRow } from "./write.ts";

/**
 * Deletes what a list has beyond its first `limit - 1` rows: one more has room then. Rows that the service did not write
 * do not count and stay.
 */
export async function makeRoom<K extends AuthorityKind, W extends ManyWay<K>>(
  tx: Db,
  authority: RowAuthority,
  kind: K,
  way: W,
  asked: AskedMany<K, W>,
  limit: number,
): Promise<void> {
  // Nearly always there are few, and each that is read may be another page.
  if (await guessCount(tx, kind, way, asked) < limit) return;
  const rows = await listRows(tx, authority, kind, way, asked);
  for (const row of rows.slice(limit - 1)) await removeRow(tx, authority, kind, row);
}
