import { DatabaseError } from "../db/error.ts";
import { engineOf, requestReadsOf } from "../db/port.ts";
import type { Db, Tables } from "../db/schema/schema.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import type { RowAuthority } from "../vault/authority.ts";
import { type Authentic, RETRY } from "./authentic.ts";
import { checkMany, checkOne, type LookupRequest } from "./check-rows.ts";
import { countSpent } from "./spent-rows.ts";
import { countMany, selectMany, selectOne } from "./queries.ts";
import { selectPage } from "./select-page.ts";
import { primaryLookup } from "./lookups.ts";
import type { ListKey, ListLookupName, Place, RawRow, UniqueKey, UniqueLookup } from "./lookups.ts";
import { hasState, nameOfRow, ownerOf } from "./state/kinds.ts";
import { countOwned, findAnyOwned, findOwned, listOwned, pageOwned } from "./state/read-owned.ts";
import { prefetchStates } from "./state/owner-state.ts";
import { requireRows } from "./state/row-sets.ts";

/** Maximum attempts of a query whose rows change during each. */
const MAX_ATTEMPTS = 20;

type RunQuery = () => Promise<RawRow[]>;

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
 * Returns the row with these values. Returns undefined if there is none, or it is not authentic or is spent. Throws
 * `DatabaseError` `wrong_row` if the database returns another row, or two. For a kind with a state, throws
 * `inconsistent` if the owner's rows do not add up, and detects a missing row if `where` names the owner. For other
 * kinds, does not detect a missing row, or an older version that the process does not remember.
 */
export function findRow<K extends AuthorityKind, W extends UniqueLookup<K>>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  lookup: W,
  where: UniqueKey<K, W>,
): Promise<Authentic<K> | undefined> {
  const request = { kind, lookup, where };
  if (hasState(kind)) return findOwned(db, authority, request);
  return takeExpected(db, kind, where) as Promise<Authentic<K> | undefined> | undefined ??
    verifyOne(db, authority, request);
}

function verifyOne<K extends AuthorityKind>(
  db: Db,
  authority: RowAuthority,
  request: LookupRequest<K>,
): Promise<Authentic<K> | undefined> {
  const { kind, lookup, where } = request;
  const select = selectOne(kind, lookup);
  return verifyResult(
    db,
    kind,
    () => select(db, where),
    (rows, spentCountBefore) => checkOne(db, authority, request, rows, spentCountBefore),
  );
}

const expectedKey = (kind: AuthorityKind, where: RawRow): string => `${kind} ${JSON.stringify(where)}`;

/** Returns a row that the request reads ahead, once. Returns undefined if there is none, or the request is late. */
function takeExpected(db: Db, kind: AuthorityKind, where: RawRow): Promise<unknown> | undefined {
  const reads = requestReadsOf(db);
  if (reads === undefined) return undefined;
  const key = expectedKey(kind, where);
  const row = reads.known.get(key) as Promise<unknown> | undefined;
  reads.known.delete(key);
  return reads.isOver() ? undefined : row;
}

/**
 * Returns all rows with these values, in the lookup's order, without those that are not authentic or are spent. Throws
 * `DatabaseError` `wrong_row` if the database returns another row, a row twice, or another order. For a kind with a
 * state, throws `inconsistent` if the rows of an owner do not add up, and detects a missing row if `where` names the
 * owner. For other kinds, does not detect a missing row.
 */
export function listRows<K extends AuthorityKind, W extends ListLookupName<K>>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  lookup: W,
  where: ListKey<K, W>,
): Promise<Authentic<K>[]> {
  const request = { kind, lookup, where };
  if (hasState(kind)) return listOwned(db, authority, request);
  const select = selectMany(kind, lookup);
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
  const request = { kind, lookup, where };
  if (hasState(kind)) return await pageOwned(db, authority, request, { after, limit });
  const page: Authentic<K>[] = [];
  let place: RawRow | undefined = after;
  for (;;) {
    const wanted = limit - page.length;
    const behind = place;
    const { rows, authentic } = await verifyResult(
      db,
      kind,
      () => selectPage(db, request, { after: behind, limit: wanted }),
      (rows, spentCountBefore) => {
        return { rows, authentic: checkMany(db, authority, request, rows, spentCountBefore) };
      },
    );
    page.push(...authentic);
    if (rows.length < wanted || page.length === limit) return page;
    place = rows.at(-1);
  }
}

/** A kind, and the values that name the owner of its rows; of a kind without a state, the primary key of a row. */
export type ExpectedRows = readonly [kind: AuthorityKind, where: RawRow];

/**
 * Reads what the next reads of these rows need together, at most three owners, in one round trip. They may come from
 * an unverified token: it grants nothing, and reveals nothing. Outside of a request it reads only the states. Does
 * nothing with an engine that tells of changes: it has no round trips.
 */
export async function expectRows(
  db: Db,
  authority: RowAuthority,
  expected: () => readonly ExpectedRows[],
): Promise<void> {
  if (engineOf(db).dataVersion !== undefined) return;
  const states = prefetchStates(
    db,
    authority,
    () => [...new Set(expected().flatMap(([kind, where]) => ownerOf(kind, where) ?? []))],
  );
  const reads = requestReadsOf(db);
  for (const [kind, where] of reads === undefined ? [] : expected()) {
    if (hasState(kind)) continue;
    const row = verifyOne(db, authority, { kind, lookup: primaryLookup(kind), where });
    // Its reader meets the fault.
    row.catch(() => {});
    reads!.known.set(expectedKey(kind, where), row);
  }
  await states;
}

/**
 * Returns true if the owner that `where` names has the row, for a kind with a state. Unlike `findRow`, needs no
 * statement for a kind with columns outside the MAC.
 */
export async function hasRow<K extends AuthorityKind>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  where: RawRow,
): Promise<boolean> {
  const rows = await requireRows(db, authority, kind, ownerOf(kind, where)!);
  return rows.has(nameOfRow(kind, where));
}

/** Returns any row with these values, of a kind without mutable columns. `where` names the owner. */
export async function findAnyRow<K extends AuthorityKind>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  where: Partial<Tables[K]>,
): Promise<Authentic<K> | undefined> {
  return await findAnyOwned(db, authority, kind, where as RawRow) as unknown as Authentic<K> | undefined;
}

/** Returns true if the owner that `where` names has fewer rows of the kind in all, for a kind with a state. */
export async function hasFewerRows(
  db: Db,
  authority: RowAuthority,
  kind: AuthorityKind,
  where: RawRow,
  limit: number,
): Promise<boolean> {
  const rows = await requireRows(db, authority, kind, ownerOf(kind, where)!);
  return rows.size < limit;
}

/** Returns the number of an owner's rows in a list, for a kind with a state. */
export function countRows<K extends AuthorityKind, W extends ListLookupName<K>>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  lookup: W,
  where: ListKey<K, W>,
): Promise<number> {
  return countOwned(db, authority, { kind, lookup, where });
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
