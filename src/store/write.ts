import { writeOne } from "../db/attempt.ts";
import type { Db, Tables } from "../db/schema/schema.ts";
import { transaction } from "../db/transaction.ts";
import { sameValue } from "../lib/object.ts";
import { AUTHORITY, type AuthorityKind } from "../vault/authenticated-columns.ts";
import type { AuthorityRow, RowAuthority } from "../vault/authority.ts";
import { type Authentic, notWritten } from "./authentic.ts";
import { deleteOne, insertOne, oldSlot, selectOne, updateOne } from "./queries.ts";
import { isSpent, recordDeleted, recordUpdated } from "./spent-rows.ts";
import { checkOne } from "./check-rows.ts";
import { keyOf, primaryLookup, type RawRow, type UniqueKey, type UniqueLookup } from "./lookups.ts";
import { hasState, nameOfRow, ownerOf } from "./state/kinds.ts";
import { recordStateChange } from "./state/pending.ts";
import { findOwned } from "./state/read-owned.ts";
import { recordOpenChange, requireRows } from "./state/row-sets.ts";

/** A row to be written: every column but the MAC. */
export type NewRow<K extends AuthorityKind> = Readonly<Omit<Tables[K], "mac">>;

const OLD_MAC = oldSlot("mac");

export type RowChange<K extends AuthorityKind> = Partial<NewRow<K>>;

function sealed<K extends AuthorityKind>(authority: RowAuthority, kind: K, row: NewRow<K>): Authentic<K> {
  return { ...row, mac: authority.mac(kind, row as unknown as AuthorityRow<K>) } as unknown as Authentic<K>;
}

/** Records an insertion in the owner's state, if its kind has one. */
function recordInsertion(tx: Db, authority: RowAuthority, kind: AuthorityKind, after: RawRow): void {
  if (hasState(kind)) recordStateChange(tx, authority, kind, { before: undefined, after });
}

/** Records a deletion in the owner's state, or in the memory of spent rows. */
function recordDeletion(tx: Db, authority: RowAuthority, kind: AuthorityKind, before: RawRow): void {
  if (hasState(kind)) recordStateChange(tx, authority, kind, { before, after: undefined });
  else recordDeleted(tx, kind, before);
}

/** Runs a write of a kind with a state in a transaction: the caller's, or one of its own. */
function inOne<T>(db: Db, kind: AuthorityKind, job: (tx: Db) => Promise<T>): Promise<T> {
  return hasState(kind) && !db.isTransaction ? transaction(db, job) : job(db);
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
export function insertRow<K extends AuthorityKind>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  row: NewRow<K>,
): Promise<Authentic<K>> {
  return inOne(db, kind, async (tx) => {
    const whole = sealed(authority, kind, row);
    await writeOne(tx, async (handle) => requireOne(kind, await insertOne(kind)(handle, whole)));
    recordInsertion(tx, authority, kind, whole as unknown as RawRow);
    return whole;
  });
}

/**
 * Like `insertRow`, but returns undefined without writing if any row, authentic or not, has the same values in the
 * lookup's columns.
 */
export function insertIfAbsent<K extends AuthorityKind>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  lookup: UniqueLookup<K>,
  row: NewRow<K>,
): Promise<Authentic<K> | undefined> {
  return inOne(db, kind, async (tx) => {
    const whole = sealed(authority, kind, row);
    const written = await insertOne(kind, lookup)(tx, whole);
    if (written === 0) {
      const [holder] = await selectOne(kind, lookup)(tx, whole);
      if (holder === undefined) throw notWritten(kind, "the place is free, and nothing was inserted");
      return undefined;
    }
    requireOne(kind, written);
    recordInsertion(tx, authority, kind, whole as unknown as RawRow);
    return whole;
  });
}

/** Inserts a row in place of any with the lookup's values, authentic or not. Also returns the authentic one. */
export function upsertRow<K extends AuthorityKind>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  lookup: UniqueLookup<K>,
  row: NewRow<K>,
): Promise<{ readonly row: Authentic<K>; readonly replaced: Authentic<K> | undefined }> {
  return inOne(db, kind, (tx) => upsert(tx, authority, kind, lookup, row));
}

async function upsert<K extends AuthorityKind>(
  tx: Db,
  authority: RowAuthority,
  kind: K,
  lookup: UniqueLookup<K>,
  row: NewRow<K>,
): Promise<{ readonly row: Authentic<K>; readonly replaced: Authentic<K> | undefined }> {
  const where = row as unknown as RawRow;
  // Read before the deletion, so that its set is complete.
  const owned = hasState(kind) ? await findOwned(tx, authority, { kind, lookup, where }) : undefined;
  // If the old row was not deleted, the insertion fails.
  const deleted = checkOne(tx, authority, { kind, lookup, where }, await deleteOne(kind, lookup)(tx, where));
  const replaced = hasState(kind) ? owned : deleted;
  if (replaced !== undefined) recordDeletion(tx, authority, kind, replaced as unknown as RawRow);
  return { row: await insertRow(tx, authority, kind, row), replaced };
}

/**
 * Deletes the row with these values in one statement and returns it. Of several concurrent callers, one receives it.
 * Returns undefined if the row is missing, not authentic or spent: a row is taken once, whatever the database does.
 * Throws `DatabaseError` `wrong_row` if the database deleted another row or two, `not_written` if it deleted none
 * although the row exists, and `inconsistent` if it deleted another version than the owner has.
 */
export function consumeRow<K extends AuthorityKind, W extends UniqueLookup<K>>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  lookup: W,
  where: UniqueKey<K, W>,
): Promise<Authentic<K> | undefined> {
  return inOne(db, kind, (tx) => consume(tx, authority, kind, lookup, where));
}

async function consume<K extends AuthorityKind, W extends UniqueLookup<K>>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  lookup: W,
  where: UniqueKey<K, W>,
): Promise<Authentic<K> | undefined> {
  const request = { kind, lookup, where };
  // Read before the deletion, so that its set is complete.
  const owned = hasState(kind) ? await findOwned(db, authority, request) : undefined;
  if (hasState(kind) && owned === undefined) return undefined;
  const rows = await deleteOne(kind, lookup)(db, where);
  const deleted = checkOne(db, authority, request, rows);
  if (rows.length === 0) {
    const left = checkOne(db, authority, request, await selectOne(kind, lookup)(db, where));
    if (left !== undefined) throw notWritten(kind, "the row was not deleted");
  }
  // Otherwise the row would count as deleted while its state has it, and could be shown again.
  if (owned !== undefined && !sameValue(deleted?.mac, owned.mac)) {
    throw authority.reportInconsistent(db, ownerOf(kind, owned as unknown as RawRow)!, kind);
  }
  if (deleted !== undefined) recordDeletion(db, authority, kind, deleted as unknown as RawRow);
  return deleted;
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
export function replaceIfUnchanged<K extends AuthorityKind>(
  db: Db,
  authority: RowAuthority,
  kind: K,
  row: Authentic<K>,
  change: RowChange<K>,
): Promise<Authentic<K> | undefined> {
  // A column outside the MAC is outside the state, too.
  const parts = splitChange(kind, change);
  if (!parts.isResealed) return replace(db, authority, kind, row, { change, ...parts });
  return inOne(db, kind, (tx) => replace(tx, authority, kind, row, { change, ...parts }));
}

/** The columns of a change. */
interface ChangedColumns {
  readonly set: readonly string[];
  /** Those outside the MAC. */
  readonly unauthenticated: readonly string[];
  /** True if the row needs a new MAC. */
  readonly isResealed: boolean;
}

function splitChange(kind: AuthorityKind, change: object): ChangedColumns {
  const authenticated: readonly string[] = AUTHORITY[kind].authenticated;
  const set = Object.keys(change);
  const unauthenticated = set.filter((column) => !authenticated.includes(column));
  return { set, unauthenticated, isResealed: unauthenticated.length < set.length };
}

async function replace<K extends AuthorityKind>(
  tx: Db,
  authority: RowAuthority,
  kind: K,
  row: Authentic<K>,
  { change, set, unauthenticated, isResealed }: ChangedColumns & { readonly change: RowChange<K> },
): Promise<Authentic<K> | undefined> {
  const before = row as unknown as RawRow;
  if (!await isNewest(tx, authority, kind, { row: before, isResealed })) return undefined;
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
  let isWritten = true;
  await writeOne(tx, async (handle) => {
    const written = await update(handle, values);
    isWritten = written.length > 0;
    if (isWritten) requireWritten(kind, whole, written);
    else await requireChanged(tx, kind, { before, unauthenticated });
  }, whole["mac"] as Uint8Array);
  if (!isWritten) return undefined;
  if (isResealed && hasState(kind)) recordStateChange(tx, authority, kind, { before, after: whole });
  else if (hasState(kind)) recordOpenChange(tx, kind, ownerOf(kind, whole)!);
  else if (isResealed) recordUpdated(tx, kind, before, whole);
  return whole as unknown as Authentic<K>;
}

/** Returns false if the row was changed or deleted since it was read. Does not look for a change outside the MAC. */
async function isNewest(
  tx: Db,
  authority: RowAuthority,
  kind: AuthorityKind,
  { row, isResealed }: { readonly row: RawRow; readonly isResealed: boolean },
): Promise<boolean> {
  if (!hasState(kind)) return !isSpent(tx, kind, row);
  if (!isResealed) return true;
  const rows = await requireRows(tx, authority, kind, ownerOf(kind, row)!);
  return sameValue(rows.get(nameOfRow(kind, row))?.["mac"], row["mac"]);
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
