import type { Db } from "../db/schema/schema.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import { wrongRow } from "./authentic.ts";
import { type LookupRequest, requireOrder } from "./check-rows.ts";
import { lookupsOf, type RawRow } from "./lookups.ts";
import { LIMIT_SLOT, placeSlot, selectMany } from "./queries.ts";

/**
 * Returns at most `limit` rows of a list after a position. Throws `DatabaseError` `wrong_row` if the database returns
 * more, another order, or a row before the position. Does not verify the rows' MACs or the lookup's values.
 */
export async function selectPage(
  db: Db,
  { kind, lookup, where }: LookupRequest<AuthorityKind>,
  { after, limit }: { readonly after: RawRow | undefined; readonly limit: number },
): Promise<RawRow[]> {
  const { order } = lookupsOf(kind).list[lookup]!;
  const values: Record<string, unknown> = { ...where, [LIMIT_SLOT]: limit };
  for (const [column] of after === undefined ? [] : order) values[placeSlot(column)] = after![column];
  const start = after === undefined ? {} : { start: "behind a place" } as const;
  const rows = await selectMany(kind, lookup, { ...start, limit: "bound" })(db, values);
  if (rows.length > limit) throw wrongRow(kind, "the database returned more rows than requested");
  requireOrder(kind, order, after === undefined ? rows : [after, ...rows], "strictly");
  return rows;
}
