import type { Db } from "../db/schema/schema.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Authentic } from "./authentic.ts";
import { countUnverifiedRows, listRows } from "./read.ts";
import type { ListKey, ListLookupName } from "./lookups.ts";
import { hasState } from "./state/kinds.ts";
import { removeRow } from "./write.ts";

/**
 * Returns the authentic rows after the first `keep`. For a kind without a state, an attacker who reports fewer rows
 * keeps more of them.
 */
export async function listRowsOverLimit<K extends AuthorityKind, W extends ListLookupName<K>>(
  tx: Db,
  authority: RowAuthority,
  kind: K,
  lookup: W,
  where: ListKey<K, W>,
  keep: number,
): Promise<Authentic<K>[]> {
  // Usually there are few rows, and each one read may cost a page.
  if (!hasState(kind) && await countUnverifiedRows(tx, kind, lookup, where) <= keep) return [];
  return (await listRows(tx, authority, kind, lookup, where)).slice(keep);
}

/** Deletes the authentic rows after the first `limit - 1`, to make room for one more. */
export async function evictOverLimit<K extends AuthorityKind, W extends ListLookupName<K>>(
  tx: Db,
  authority: RowAuthority,
  kind: K,
  lookup: W,
  where: ListKey<K, W>,
  limit: number,
): Promise<void> {
  const surplus = await listRowsOverLimit(tx, authority, kind, lookup, where, limit - 1);
  for (const row of surplus) await removeRow(tx, authority, kind, row);
}
