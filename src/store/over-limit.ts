import type { Db } from "../db/schema/schema.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Authentic } from "./authentic.ts";
import { guessCount, listRows } from "./read.ts";
import type { AskedMany, ManyWay } from "./lookups.ts";
import { removeRow } from "./write.ts";

/**
 * What a list has beyond its first `keep` rows; rows that the service did not write do not count. That there are no more
 * than `keep` in all is the database's word: by saying so falsely its holder has more kept, as by leaving rows out of the
 * list.
 */
export async function rowsBeyond<K extends AuthorityKind, W extends ManyWay<K>>(
  tx: Db,
  authority: RowAuthority,
  kind: K,
  way: W,
  asked: AskedMany<K, W>,
  keep: number,
): Promise<Authentic<K>[]> {
  // Nearly always there are few, and each that is read may be another page.
  if (await guessCount(tx, kind, way, asked) <= keep) return [];
  return (await listRows(tx, authority, kind, way, asked)).slice(keep);
}

/** Deletes what a list has beyond its first `limit - 1` rows, as `rowsBeyond` counts them: one more has room then. */
export async function makeRoom<K extends AuthorityKind, W extends ManyWay<K>>(
  tx: Db,
  authority: RowAuthority,
  kind: K,
  way: W,
  asked: AskedMany<K, W>,
  limit: number,
): Promise<void> {
  const surplus = await rowsBeyond(tx, authority, kind, way, asked, limit - 1);
  for (const row of surplus) await removeRow(tx, authority, kind, row);
}
