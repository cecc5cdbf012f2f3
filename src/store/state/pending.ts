import { getTransactionState, setTransactionState } from "../../db/transaction.ts";
import type { Db } from "../../db/schema/schema.ts";
import { sameValue } from "../../lib/object.ts";
import type { AuthorityKind } from "../../vault/authenticated-columns.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { RawRow } from "../lookups.ts";
import { nameOfRow, ownerOf, SERVICE } from "./kinds.ts";

/** A change of a row in the current transaction: inserted without `before`, deleted without `after`. */
export interface Change {
  readonly owner: string;
  readonly kind: AuthorityKind;
  readonly name: string;
  readonly before: RawRow | undefined;
  readonly after: RawRow | undefined;
}

/** All rows of an owner were replaced, and its state, which has this state tag now. */
export interface Rebuilt {
  readonly rebuilt: string;
  readonly tag: Uint8Array;
}

type AnyChange = Change | Rebuilt | { readonly forgotten: string };

/** The changes of a transaction in order, and the positions of those of each owner and kind. */
interface ChangeList {
  readonly changes: AnyChange[];
  readonly positions: Map<string, number[]>;
}

/** The list as far as it counts: a rollback to a savepoint makes it shorter. */
interface Pending {
  readonly list: ChangeList;
  readonly count: number;
}

const PENDING = Symbol("changes of rows with a state");

const positionKey = (kind: AuthorityKind, owner: string): string => `${kind} ${owner}`;

/** Records the change of a row, so that its owner's state changes in the same transaction. */
export function recordStateChange(
  tx: Db,
  authority: RowAuthority,
  kind: AuthorityKind,
  { before, after }: Pick<Change, "before" | "after">,
): void {
  const row = (after ?? before)!;
  record(tx, authority, {
    owner: ownerOf(kind, row)!,
    kind,
    name: nameOfRow(kind, row),
    before,
    after,
  });
}

/** Records that a row of the service gets an owner of its own. */
export function recordMoved(tx: Db, authority: RowAuthority, kind: AuthorityKind, row: RawRow): void {
  const name = nameOfRow(kind, row);
  record(tx, authority, { owner: SERVICE, kind, name, before: row, after: undefined });
  recordStateChange(tx, authority, kind, { before: undefined, after: row });
}

/** Records that every row of an owner is deleted, and its state with them. */
export function recordForgotten(tx: Db, authority: RowAuthority, owner: string): void {
  record(tx, authority, { forgotten: owner });
}

/** Records that an owner has a new state, so that an audit entry names it. */
export function recordRebuilt(tx: Db, authority: RowAuthority, rebuilt: Rebuilt): void {
  record(tx, authority, rebuilt);
}

function record(tx: Db, authority: RowAuthority, change: AnyChange): void {
  if (!tx.isTransaction) throw new TypeError("Cannot change row: not in a transaction");
  const known = getTransactionState<Pending>(tx, PENDING);
  const { list, count }: Pending = known ?? { list: { changes: [], positions: new Map() }, count: 0 };
  dropFrom(list, count);
  list.changes.push(change);
  if ("kind" in change) {
    const key = positionKey(change.kind, change.owner);
    const positions = list.positions.get(key);
    if (positions === undefined) list.positions.set(key, [count]);
    else positions.push(count);
  }
  setTransactionState(tx, PENDING, { list, count: count + 1 } satisfies Pending);
  if (known === undefined) authority.logStates(tx);
}

/** Drops changes that were rolled back. */
function dropFrom({ changes, positions }: ChangeList, count: number): void {
  while (changes.length > count) {
    const change = changes.pop()!;
    if ("kind" in change) positions.get(positionKey(change.kind, change.owner))!.pop();
  }
}

/** Returns the changes of the current transaction, earliest first. */
export function allPending(tx: Db): readonly AnyChange[] {
  const pending = getTransactionState<Pending>(tx, PENDING);
  return pending === undefined ? [] : pending.list.changes.slice(0, pending.count);
}

const NONE: readonly Change[] = [];

/** Returns the changes of an owner's rows of one kind, earliest first. */
export function pendingChanges(db: Db, kind: AuthorityKind, owner: string): readonly Change[] {
  const pending = getTransactionState<Pending>(db, PENDING);
  const positions = pending?.list.positions.get(positionKey(kind, owner));
  if (pending === undefined || positions === undefined) return NONE;
  return positions.filter((position) => position < pending.count).map((position) =>
    pending.list.changes[position] as Change
  );
}

/**
 * Returns true if the changes fit the rows. Returns false if one inserts a row that is there, or changes one that is
 * not: then the database had hidden the row.
 */
export function fitChanges(rows: ReadonlyMap<string, RawRow>, changes: readonly Change[]): boolean {
  const macs = new Map<string, unknown>();
  for (const { name, before, after } of changes) {
    const mac = macs.has(name) ? macs.get(name) : rows.get(name)?.["mac"];
    if (!sameValue(mac, before?.["mac"])) return false;
    macs.set(name, after?.["mac"]);
  }
  return true;
}

/** Changes the rows by changes that fit them. */
export function applyChanges(rows: Map<string, RawRow>, changes: readonly Change[]): void {
  for (const { name, after } of changes) {
    if (after === undefined) rows.delete(name);
    else rows.set(name, after);
  }
}

/** Returns the rows with the changes of the current transaction, or undefined if these do not fit. */
export function withChanges(
  rows: ReadonlyMap<string, RawRow>,
  pending: readonly Change[],
): ReadonlyMap<string, RawRow> | undefined {
  if (pending.length === 0) return rows;
  if (!fitChanges(rows, pending)) return undefined;
  const changed = new Map(rows);
  applyChanges(changed, pending);
  return changed;
}

export function revertChange(rows: Map<string, RawRow>, { name, before }: Change): void {
  if (before === undefined) rows.delete(name);
  else rows.set(name, before);
}
