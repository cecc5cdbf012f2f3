import type { Db } from "../db/schema/schema.ts";
import { sameValue } from "../lib/object.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import type { RowAuthority } from "../vault/authority.ts";
import { type Authentic, authenticRow, requireValues, wrongRow } from "./authentic.ts";
import { keyOf, type ListLookup, lookupsOf, type RawRow } from "./lookups.ts";
import { columnsOfLookup } from "./queries.ts";

export interface LookupRequest<K extends AuthorityKind> {
  readonly kind: K;
  readonly lookup: string;
  readonly where: RawRow;
}

export function checkOne<K extends AuthorityKind>(
  db: Db,
  authority: RowAuthority,
  { kind, lookup, where }: LookupRequest<K>,
  rows: readonly RawRow[],
  spentCountBefore = Infinity,
): Authentic<K> | undefined {
  if (rows.length > 1) throw wrongRow(kind, "the database returned more than one row");
  const [row] = rows;
  const authentic = row && authenticRow(db, authority, kind, row, spentCountBefore);
  if (authentic === undefined) return undefined;
  requireValues(kind, authentic, { columns: columnsOfLookup(kind, lookup), values: where });
  return authentic as unknown as Authentic<K>;
}

export function checkMany<K extends AuthorityKind>(
  db: Db,
  authority: RowAuthority,
  { kind, lookup, where }: LookupRequest<K>,
  rows: readonly RawRow[],
  spentCountBefore: number,
): Authentic<K>[] {
  const { by, none = [], order } = lookupsOf(kind).list[lookup]!;
  const authentic = rows.map((row) => authenticRow(db, authority, kind, row, spentCountBefore)).filter((
    row,
  ) => row !== undefined);
  for (const row of authentic) {
    requireValues(kind, row, { columns: by, values: where });
    if (none.some((column) => row[column] !== null)) throw wrongRow(kind, "a column should be empty");
  }
  requireDistinct(kind, authentic);
  requireOrder(kind, order, authentic, "at least");
  return authentic as unknown as Authentic<K>[];
}

function requireDistinct(kind: AuthorityKind, rows: readonly RawRow[]): void {
  if (rows.length < 2) return;
  const key = keyOf(kind);
  // All key columns are text.
  const seen = new Set(rows.map((row) => key.map((column) => row[column]).join("\0")));
  if (seen.size < rows.length) throw wrongRow(kind, "the database returned a row twice");
}

/** Throws `wrong_row` if a row comes before its predecessor or, with `strictly`, at the same position. */
export function requireOrder(
  kind: AuthorityKind,
  order: ListLookup["order"],
  rows: readonly RawRow[],
  how: "strictly" | "at least",
): void {
  for (let index = 1; index < rows.length; index++) {
    const step = compare(order, rows[index - 1]!, rows[index]!);
    if (order.length > 0 && (step > 0 || (step === 0 && how === "strictly"))) {
      throw wrongRow(kind, "the database returned another order");
    }
  }
}

/** Compares two rows. Texts are ids and origins: ASCII, which every engine sorts alike. */
export function compare(order: ListLookup["order"], a: RawRow, b: RawRow): number {
  for (const [column, direction] of order) {
    const [left, right] = [a[column] as string | number, b[column] as string | number];
    if (sameValue(left, right)) continue;
    return (left < right) === (direction === "asc") ? -1 : 1;
  }
  return 0;
}
