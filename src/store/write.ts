import type { Db, Tables } from "../db/schema/schema.ts";
import { sameValue } from "../lib/object.ts";
import { AUTHORITY, type AuthorityKind } from "../vault/authenticated-columns.ts";
import type { AuthorityRow, RowAuthority } from "../vault/authority.ts";
import { type Authentic, notWritten } from "./authentic.ts";
import { deleteOne, insertOne, oldSlot, selectOne, updateOne } from "./queries.ts";
import { isSpent, recordDeleted, recordInserted, recordUpdated } from "./spent-rows.ts";
import { checkOne } from "./read.ts";
import { keyOf, primaryLookup, type RawRow, type UniqueKey, type UniqueLookup } from "./lookups.ts";

/** A row to be written: every column but the MAC. */
export type NewRow<K extends AuthorityKind> = Readonly<Omit<Tables[K], "mac">>;

const OLD_MAC = oldSlot("mac");

export type RowChange<K extends AuthorityKind> = Partial<NewRow<K>>;

function sealed<K extends AuthorityKind>(authority: RowAuthority, kind: K, row: NewRow<K>): Authentic<K> {
  return { ...row, mac: authority.mac(kind, row as unknown as AuthorityRow<K>) } as unknown as Authentic<K>;
}

function requireOne(kind: AuthorityKind, written: number): void {
  if (written !== 1) throw notWritten(kind, `the database wrote ${written} rows, not one`);
}

function requireWritten(kind: AuthorityKind, row: RawRow, written: readonly RawRow[]): void {
  requireOne(kind, written.length);
  const [only] = written;
  const isSame = sameValue(only!["mac"], row["mac"]) &&
    keyOf(kind).every((column) => sameValue(only![column], row[column]));
  if (!isSame) throw notWritten(kind, "the database wrote another row");
}

/** Inserts a row with its MAC. Throws `DatabaseError` `not_written` if the database did anything else. */
export async function insertRow<K extends AuthorityKind>(
  tx: Db,
  authority: RowAuthority,
  kind: K,
  row: NewRow<K>,
): Promise<Authentic<K>> {
  const whole = sealed(authority, kind, row);
  requireOne(kind, await insertOne(kind)(tx, whole));
  recordInserted(tx, kind, whole);
  return whole;
}

/**
 * Like `insertRow`, but returns undefined without writing if any row, authentic or not, has the same values in the
 * lookup's columns.
 */
export async function insertIfAbsent<K extends AuthorityKind>(
  tx: Db,
  authority: RowAuthority,
  kind: K,
  lookup: UniqueLookup<K>,
  row: NewRow<K>,
): Promise<Authentic<K> | undefined> {
  const whole = sealed(authority, kind, row);
  const written = await insertOne(kind, lookup)(tx, whole);
  if (written === 0) {
    const [holder] = await selectOne(kind, lookup)(tx, whole);
    if (holder === undefined) throw notWritten(kind, "the place is free, and nothing was inserted");
    return undefined;
  }
  requireOne(kind, written);
  recordInserted(tx, kind, whole);
  return whole;
}

/** Inserts a row in place of any with the lookup's values, authentic or not. Also returns the authentic one. */
export async function upsertRow<K extends AuthorityKind>(
  tx: Db,
  authority: RowAuthority,
  kind: K,
  lookup: UniqueLookup<K>,
  row: NewRow<K>,
): Promise<{ readonly row: Authentic<K>; readonly replaced: Authentic<K> | undefined }> {
  const where = row as unknown as RawRow;
  // If the old row was not deleted, the insertion fails.
  const replaced = checkOne(tx, authority, { kind, lookup, where }, await deleteOne(kind, lookup)(tx, where));
  if (replaced !== undefined) recordDeleted(tx, kind, replaced as unknown as RawRow);
  return { row: await insertRow(tx, authority, kind, row), replaced };
}

/**
 * Deletes the row with these values in one statement and returns it. Of several concurrent callers, one receives it.
 * Returns undefined if the row is missing, not authentic or spent: a row is taken once, whatever the database does.
 * Throws `DatabaseError` `wrong_row` if the database deleted another row or two, and `not_written` if it deleted none
 * although the row exists.
 */
export async function consumeRow<K extends AuthorityKind, W extends UniqueLookup<K>>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  lookup: W,
  where: UniqueKey<K, W>,
): Promise<Authentic<K> | undefined> {
  const deleted = await deleteOne(kind, lookup)(db, where);
  if (deleted.length > 0) {
    const consumed = checkOne(db, authority, { kind, lookup, where }, deleted);
    if (consumed !== undefined) recordDeleted(db, kind, consumed as unknown as RawRow);
    return consumed;
  }
  const left = checkOne(db, authority, { kind, lookup, where }, await selectOne(kind, lookup)(db, where));
  if (left !== undefined) throw notWritten(kind, "the row was not deleted");
  return undefined;
}

/** Deletes a row that was read in this transaction. Throws `DatabaseError` if the database did anything else. */
export async function removeRow<K extends AuthorityKind>(
  tx: Db,
  authority: RowAuthority,
  kind: K,
  row: Authentic<K>,
): Promise<void> {
  const removed = await consumeRow(tx, authority, kind, primaryLookup(kind), row as never);
  if (removed === undefined) throw notWritten(kind, "the row to delete is gone");
}

/** Updates a row read in this transaction. Throws `not_written` if it changed or the database did anything else. */
export async function replaceRow<K extends AuthorityKind>(
  tx: Db,
  authority: RowAuthority,
  kind: K,
  row: Authentic<K>,
  change: RowChange<K>,
): Promise<Authentic<K>> {
  const changed = await replaceIfUnchanged(tx, authority, kind, row, change);
  if (changed === undefined) throw notWritten(kind, "the row is not what was read");
  return changed;
}

/**
 * Like `replaceRow`, by compare-and-set, for a row that was read earlier. Returns undefined without writing if the row
 * is missing or spent. So it does if an authenticated column, or a mutable column in the change, has another value
 * than `row`.
 */
export async function replaceIfUnchanged<K extends AuthorityKind>(
  tx: Db,
  authority: RowAuthority,
  kind: K,
  row: Authentic<K>,
  change: RowChange<K>,
): Promise<Authentic<K> | undefined> {
  const before = row as unknown as RawRow;
  if (isSpent(tx, kind, before)) return undefined;
  const set = Object.keys(change);
  const authenticated: readonly string[] = AUTHORITY[kind].authenticated;
  const unauthenticated = set.filter((column) => !authenticated.includes(column));
  const isResealed = unauthenticated.length < set.length;
  const after = { ...row, ...change } as unknown as NewRow<K>;
  const whole = (isResealed ? sealed(authority, kind, after) : after) as unknown as RawRow;
  const update = updateOne(kind, {
    set: isResealed ? [...set, "mac"] : set,
    unchanged: unauthenticated.filter((column) => before[column] !== null),
    stillNull: unauthenticated.filter((column) => before[column] === null),
  });
  const values: Record<string, unknown> = { ...whole, [OLD_MAC]: before["mac"] };
  for (const column of keyOf(kind)) values[oldSlot(column)] = before[column];
  for (const column of unauthenticated) values[oldSlot(column)] = before[column];
  const written = await update(tx, values);
  if (written.length === 0) {
    await requireChanged(tx, kind, { before, unauthenticated });
    return undefined;
  }
  requireWritten(kind, whole, written);
  if (isResealed) recordUpdated(tx, kind, before, whole);
  return whole as unknown as Authentic<K>;
}

/** Throws `not_written` if the row still exists unchanged. */
async function requireChanged(
  tx: Db,
  kind: AuthorityKind,
  { before, unauthenticated }: { readonly before: RawRow; readonly unauthenticated: readonly string[] },
): Promise<void> {
  const [present] = await selectOne(kind, primaryLookup(kind))(tx, before);
  const isAsBefore = present !== undefined &&
    ["mac", ...unauthenticated].every((column) => sameValue(present[column], before[column]));
  if (isAsBefore) throw notWritten(kind, "the row was not changed");
}
