import { passInconsistent } from "../../db/error.ts";
import type { Db } from "../../db/schema/schema.ts";
import { sameValue } from "../../lib/object.ts";
import type { AuthorityKind } from "../../vault/authenticated-columns.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { Authentic } from "../authentic.ts";
import { checkMany, checkOne, compare, type LookupRequest } from "../check-rows.ts";
import { keyOf, type ListLookup, lookupsOf, primaryLookup, type RawRow } from "../lookups.ts";
import { columnsOfLookup, selectMany, selectOne } from "../queries.ts";
import { selectPage } from "../select-page.ts";
import { isWhole, nameOfRow, ownerColumnOf, ownerOf } from "./kinds.ts";
import { CHANGED, whileChanging } from "./owner-state.ts";
import {
  cachedOwner,
  findFreshRows,
  findRows,
  INDEXED_FROM,
  readFreshRows,
  readRows,
  requireRows,
  type Rows,
} from "./row-sets.ts";

/**
 * Reads rows that belong to an owner's state. A row that is missing, older or not the owner's makes them differ from
 * the state. Rows of a kind that is `whole` are not read again while the set is in memory.
 */

/** Returns true if the row has these values in these columns, and null in each column of `none`. */
function isMatch(
  row: RawRow,
  columns: readonly string[],
  where: RawRow,
  none: readonly string[] = [],
): boolean {
  for (const column of columns) if (!sameValue(row[column], where[column])) return false;
  for (const column of none) if (row[column] !== null) return false;
  return true;
}

/** Throws `CHANGED` unless the row is one of its owner's rows. */
function requireMember(kind: AuthorityKind, rows: Rows, row: RawRow): void {
  if (!sameValue(rows.get(nameOfRow(kind, row))?.["mac"], row["mac"])) throw CHANGED;
}

/** Like `findRow`, and throws `DatabaseError` `inconsistent` if the database does not return the owner's newest row. */
export async function findOwned<K extends AuthorityKind>(
  db: Db,
  authority: RowAuthority,
  { kind, lookup, where }: LookupRequest<K>,
): Promise<Authentic<K> | undefined> {
  const columns = columnsOfLookup(kind, lookup);
  const named = ownerOf(kind, where) ?? cachedOwner(db, kind, nameOfRow(kind, where));
  const known = named && (isWhole(kind) ? findRows(db, kind, named) : findFreshRows(db, kind, named));
  if (known) return findIn(known, kind, columns, where) as Authentic<K> | undefined;
  let owner = named;
  return await whileChanging(db, authority, { owner: () => owner, kind }, async () => {
    if (named !== undefined && isWhole(kind)) {
      return findIn(await readRows(db, authority, kind, named), kind, columns, where) as
        | Authentic<K>
        | undefined;
    }
    const fresh = named && await readFreshRows(db, authority, kind, named);
    if (fresh) return findIn(fresh, kind, columns, where) as Authentic<K> | undefined;
    const [found, ofNamed] = await Promise.all([
      selectOne(kind, lookup)(db, where),
      named === undefined ? undefined : readRows(db, authority, kind, named),
    ]);
    const row = checkOne(db, authority, { kind, lookup, where }, found);
    // The owner of a row that is not authentic is a hint: one of the owner's rows may have been edited.
    owner = named ?? (found[0] && ownerOf(kind, found[0]));
    if (typeof owner !== "string") return undefined;
    const rows = ofNamed ?? await readRows(db, authority, kind, owner);
    if (row !== undefined) requireMember(kind, rows, row as unknown as RawRow);
    else if (findIn(rows, kind, columns, where) !== undefined) throw CHANGED;
    return row;
  });
}

/** Derived values of large sets by name, each made at its first use. */
const derived = new WeakMap<Rows, Map<string, unknown>>();

function derivedOf<T>(rows: Rows, name: string, make: () => T): T {
  let ofSet = derived.get(rows);
  if (ofSet === undefined) derived.set(rows, ofSet = new Map());
  if (!ofSet.has(name)) ofSet.set(name, make());
  return ofSet.get(name) as T;
}

function valuesKey(columns: readonly string[], values: RawRow): string {
  return columns.map((column) => {
    const value = values[column];
    return value instanceof Uint8Array ? value.toHex() : String(value);
  }).join("\0");
}

/** Lists of columns by the answer of `isWholeKey`: each lookup has one list. */
const wholeKeys = new WeakMap<readonly string[], boolean>();

/** Returns true if the columns of a lookup include the primary key. */
function isWholeKey(kind: AuthorityKind, columns: readonly string[]): boolean {
  let known = wholeKeys.get(columns);
  if (known === undefined) {
    known = keyOf(kind).every((column) => columns.includes(column));
    wholeKeys.set(columns, known);
  }
  return known;
}

function findIn(
  rows: Rows,
  kind: AuthorityKind,
  columns: readonly string[],
  where: RawRow,
): RawRow | undefined {
  if (isWholeKey(kind, columns)) {
    const row = rows.get(nameOfRow(kind, where));
    return row !== undefined && isMatch(row, columns, where) ? row : undefined;
  }
  if (rows.size >= INDEXED_FROM) return findByIndex(rows, columns, where);
  for (const row of rows.values()) if (isMatch(row, columns, where)) return row;
  return undefined;
}

function findByIndex(rows: Rows, columns: readonly string[], where: RawRow): RawRow | undefined {
  const index = derivedOf(
    rows,
    `index ${columns.join()}`,
    () => new Map([...rows.values()].map((row) => [valuesKey(columns, row), row])),
  );
  const found = index.get(valuesKey(columns, where));
  return found !== undefined && isMatch(found, columns, where) ? found : undefined;
}

/** Returns one of an owner's rows with these values, of a kind whose rows are whole. */
export async function findAnyOwned(
  db: Db,
  authority: RowAuthority,
  kind: AuthorityKind,
  where: RawRow,
): Promise<RawRow | undefined> {
  const columns = Object.keys(where);
  const rows = await requireRows(db, authority, kind, ownerOf(kind, where)!);
  for (const row of rows.values()) if (isMatch(row, columns, where)) return row;
  return undefined;
}

/** Returns the rows of a list in its order. Keeps that of a large set if it is for the whole owner. */
function listIn(rows: Rows, { kind, lookup, where }: LookupRequest<AuthorityKind>): readonly RawRow[] {
  const { by, none, order } = lookupsOf(kind).list[lookup]!;
  const make = (): readonly RawRow[] =>
    [...rows.values()].filter((row) => isMatch(row, by, where, none))
      .sort((one, other) => compare(order, one, other));
  const isOfOwner = by.every((column) => column === ownerColumnOf(kind));
  return rows.size < INDEXED_FROM || !isOfOwner ? make() : derivedOf(rows, `list ${lookup}`, make);
}

/** Returns the number of sorted rows up to a place. */
function countUntil(order: ListLookup["order"], rows: readonly RawRow[], place: RawRow): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(order, place, rows[middle]!) < 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Like `listRows`, and throws `DatabaseError` `inconsistent` if a row is missing, older or not the owner's. */
export async function listOwned<K extends AuthorityKind>(
  db: Db,
  authority: RowAuthority,
  request: LookupRequest<K>,
): Promise<Authentic<K>[]> {
  const rows = await readList(db, authority, request);
  // The list of a large set stays in memory.
  return [...rows];
}

async function readList<K extends AuthorityKind>(
  db: Db,
  authority: RowAuthority,
  request: LookupRequest<K>,
): Promise<readonly Authentic<K>[]> {
  const { kind, lookup, where } = request;
  const named = ownerOf(kind, where);
  const known = named !== undefined && isWhole(kind) ? findRows(db, kind, named) : undefined;
  if (known !== undefined) return listIn(known, request) as unknown as readonly Authentic<K>[];
  let owner = named;
  return await whileChanging(db, authority, { owner: () => owner, kind }, async () => {
    const expected = named === undefined
      ? undefined
      : listIn(await readRows(db, authority, kind, named), request);
    if (expected !== undefined && isWhole(kind)) return expected as unknown as readonly Authentic<K>[];
    const found = checkMany(db, authority, request, await selectMany(kind, lookup)(db, where), Infinity);
    for (const row of found as unknown as RawRow[]) {
      owner = ownerOf(kind, row)!;
      requireMember(kind, await readRows(db, authority, kind, owner), row);
    }
    owner = named;
    if (expected !== undefined && expected.length !== found.length) throw CHANGED;
    return found;
  });
}

/**
 * Like `pageRows`. Without an owner in `where`, it leaves out rows of owners that do not add up, so that one owner does
 * not stop a list of all, and does not detect a missing row.
 */
export async function pageOwned<K extends AuthorityKind>(
  db: Db,
  authority: RowAuthority,
  request: LookupRequest<K>,
  { after, limit }: { readonly after: RawRow | undefined; readonly limit: number },
): Promise<Authentic<K>[]> {
  const { kind, lookup, where } = request;
  const { by, none, order } = lookupsOf(kind).list[lookup]!;
  if (ownerOf(kind, where) !== undefined) {
    const all = await readList(db, authority, request);
    const start = after === undefined ? 0 : countUntil(order, all as unknown as readonly RawRow[], after);
    return all.slice(start, start + limit);
  }
  const page: Authentic<K>[] = [];
  let place = after;
  for (;;) {
    const wanted = limit - page.length;
    const rows = await selectPage(db, request, { after: place, limit: wanted });
    for (const row of checkMany(db, authority, request, rows, Infinity)) {
      const newest = await findNewest(db, authority, kind, row as unknown as RawRow);
      // An older version that was put back may have another place, and its newest may not be in the list.
      const isInPlace = newest !== undefined &&
        isMatch(newest as unknown as RawRow, by, where, none) &&
        compare(order, newest as unknown as RawRow, row as unknown as RawRow) === 0;
      if (isInPlace) page.push(newest);
    }
    if (rows.length < wanted || page.length === limit) return page;
    place = rows.at(-1);
  }
}

/** Returns the newest version of a row. Returns undefined if it was deleted, or its owner does not add up. */
function findNewest<K extends AuthorityKind>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  row: RawRow,
): Promise<Authentic<K> | undefined> {
  return findOwned(db, authority, { kind, lookup: primaryLookup(kind), where: row }).catch(passInconsistent);
}

/** Returns the number of an owner's rows that a list has. */
export async function countOwned<K extends AuthorityKind>(
  db: Db,
  authority: RowAuthority,
  { kind, lookup, where }: LookupRequest<K>,
): Promise<number> {
  const { by, none } = lookupsOf(kind).list[lookup]!;
  const rows = await requireRows(db, authority, kind, ownerOf(kind, where)!);
  let count = 0;
  for (const row of rows.values()) if (isMatch(row, by, where, none)) count++;
  return count;
}
