import { DatabaseError } from "../db/error.ts";
import type { Db } from "../db/schema/schema.ts";
import { sameValue } from "../lib/object.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import type { RowAuthority } from "../vault/authority.ts";
import { type Authentic, authenticRow, requireValues, RETRY, wrongRow } from "./authentic.ts";
import { countSpent } from "./spent-rows.ts";
import { columnsOfLookup, countMany, LIMIT_SLOT, placeSlot, selectMany, selectOne } from "./queries.ts";
import type { Part } from "./queries.ts";
import type {
  ListKey,
  ListLookup,
  ListLookupName,
  Place,
  RawRow,
  UniqueKey,
  UniqueLookup,
} from "./lookups.ts";
import { keyOf, lookupsOf } from "./lookups.ts";

/** Maximum rows that `listSurplusRows` reads. The next call finds any further ones. */
const SURPLUS_LIMIT = 1000;

/** Maximum attempts of a query whose rows change during each. */
const MAX_ATTEMPTS = 20;

type RunQuery = () => Promise<RawRow[]>;

interface LookupRequest<K extends AuthorityKind> {
  readonly kind: K;
  readonly lookup: string;
  readonly where: RawRow;
}

/**
 * Runs a query and checks its result. Outside a transaction it runs the query again while a returned row was spent
 * after the query began. With several connections, this process may change a row during a query. A row that was spent
 * earlier was restored by an attacker. Throws `DatabaseError` `conflict` after `MAX_ATTEMPTS` attempts.
 */
function verifyResult<T>(
  db: Db,
  kind: AuthorityKind,
  runQuery: RunQuery,
  check: (rows: readonly RawRow[], spentCountBefore: number) => T,
  attemptsLeft = MAX_ATTEMPTS,
): Promise<T> {
  const spentCountBefore = db.isTransaction ? Infinity : countSpent(db, kind);
  // Returns the promise without wrapping it: every request awaits two or three of these.
  return runQuery().then((rows) => {
    try {
      return check(rows, spentCountBefore);
    } catch (error) {
      if (error !== RETRY) throw error;
      if (attemptsLeft > 1) return verifyResult(db, kind, runQuery, check, attemptsLeft - 1);
      throw new DatabaseError(
        "conflict",
        `Cannot read ${kind}: it changed under each of ${MAX_ATTEMPTS} answers`,
      );
    }
  });
}

/**
 * Returns the row with these values. Returns undefined if it is missing, not authentic or spent. Throws
 * `DatabaseError` `wrong_row` if the database returns another row, or two. Does not detect that a row is missing, or
 * an older version that the process does not remember.
 */
export function findRow<K extends AuthorityKind, W extends UniqueLookup<K>>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  lookup: W,
  where: UniqueKey<K, W>,
): Promise<Authentic<K> | undefined> {
  const request = { kind, lookup, where };
  const select = selectOne(kind, lookup);
  return verifyResult(
    db,
    kind,
    () => select(db, where),
    (rows, spentCountBefore) => checkOne(db, authority, request, rows, spentCountBefore),
  );
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

/**
 * Returns all rows with these values, in the lookup's order, without those that are not authentic or are spent. Throws
 * `DatabaseError` `wrong_row` if the database returns another row, a row twice, or another order. Does not detect a
 * missing row.
 */
export function listRows<K extends AuthorityKind, W extends ListLookupName<K>>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  lookup: W,
  where: ListKey<K, W>,
): Promise<Authentic<K>[]> {
  return listMatching(db, authority, { kind, lookup, where });
}

function listMatching<K extends AuthorityKind>(
  db: Db,
  authority: RowAuthority,
  request: LookupRequest<K>,
  part?: Part,
): Promise<Authentic<K>[]> {
  const { kind, lookup, where } = request;
  const select = selectMany(kind, lookup, part);
  return verifyResult(
    db,
    kind,
    () => select(db, where),
    (rows, spentCountBefore) => checkMany(db, authority, request, rows, spentCountBefore),
  );
}

/** Like `listRows`, for at most `limit` rows after a position. Rows that are not authentic do not count. */
export async function pageRows<K extends AuthorityKind, W extends ListLookupName<K>>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  lookup: W,
  where: ListKey<K, W>,
  { after, limit }: { readonly after: Place<K, W> | undefined; readonly limit: number },
): Promise<Authentic<K>[]> {
  const order = lookupsOf(kind).list[lookup]!.order;
  const page: Authentic<K>[] = [];
  let place: RawRow | undefined = after;
  for (;;) {
    const wanted = limit - page.length;
    const values: Record<string, unknown> = { ...where as RawRow, [LIMIT_SLOT]: wanted };
    for (const [column] of place === undefined ? [] : order) values[placeSlot(column)] = place![column];
    const start = place === undefined ? {} : { start: "behind a place" } as const;
    const select = selectMany(kind, lookup, { ...start, limit: "bound" });
    const behind = place;
    const { rows, authentic } = await verifyResult(
      db,
      kind,
      () => select(db, values),
      (rows, spentCountBefore) => {
        if (rows.length > wanted) throw wrongRow(kind, "the database returned more rows than requested");
        requireOrder(kind, order, behind === undefined ? rows : [behind, ...rows], "strictly");
        return { rows, authentic: checkMany(db, authority, { kind, lookup, where }, rows, spentCountBefore) };
      },
    );
    page.push(...authentic);
    if (rows.length < wanted || page.length === limit) return page;
    place = rows.at(-1);
  }
}

/** Returns at most 1,000 rows after the first `keep`, by the database's count: only for rows that may be lost. */
export async function listSurplusRows<K extends AuthorityKind, W extends ListLookupName<K>>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  lookup: W,
  where: ListKey<K, W>,
  keep: number,
): Promise<Authentic<K>[]> {
  // Usually there are few rows, and an offset query would read all of them first.
  if (await countUnverifiedRows(db, kind, lookup, where) <= keep) return [];
  return await listMatching(db, authority, { kind, lookup, where }, { skip: keep, limit: SURPLUS_LIMIT });
}

/** Returns an unauthenticated row count. Use it only as a hint; never grant or refuse anything based on it. */
export async function countUnverifiedRows<K extends AuthorityKind, W extends ListLookupName<K>>(
  db: Db,
  kind: K,
  lookup: W,
  where: ListKey<K, W>,
): Promise<number> {
  const [row] = await countMany(kind, lookup)(db, where);
  return Number(row?.["count"]);
}

function checkMany<K extends AuthorityKind>(
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
function requireOrder(
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
function compare(order: ListLookup["order"], a: RawRow, b: RawRow): number {
  for (const [column, direction] of order) {
    const [left, right] = [a[column] as string | number, b[column] as string | number];
    if (sameValue(left, right)) continue;
    return (left < right) === (direction === "asc") ? -1 : 1;
  }
  return 0;
}
