import { engineState } from "../db/engine-state.ts";
import type { Db } from "../db/schema/schema.ts";
import { atCommit, getTransactionState, setTransactionState } from "../db/transaction.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import { lookupsOf, type RawRow } from "./lookups.ts";
import { nameOfRow } from "./state/kinds.ts";

/** A bounded set of names. A full set drops the oldest name. */
export interface BoundedSet {
  /** Returns the number of names added before this one, or undefined if it is missing. */
  sequenceOf(name: string): number | undefined;
  count(): number;
  /** Adds a name as the latest, unless it is present. Drops the oldest if the set is full. */
  add(name: string): void;
  delete(name: string): void;
}

export function createBoundedSet(most: number): BoundedSet {
  const sequences = new Map<string, number>();
  // A ring, because a Set skips every deleted name on the way to its oldest, which takes 5 µs.
  const ring: (string | undefined)[] = [];
  let count = 0;
  return {
    sequenceOf: (name) => sequences.get(name),
    count: () => count,
    add(name) {
      if (sequences.has(name)) return;
      const oldest = ring[count % most];
      if (oldest !== undefined) sequences.delete(oldest);
      ring[count % most] = name;
      sequences.set(name, count++);
    },
    delete(name) {
      const sequence = sequences.get(name);
      if (sequence === undefined) return;
      sequences.delete(name);
      ring[sequence % most] = undefined;
    },
  };
}

/**
 * Remembers used and deleted rows in this process, so that restoring one in the database, or keeping it by a trigger,
 * has no effect until restart. Other processes do not share this memory.
 */

/** The number of rows remembered per kind, the latest ones. Takes 2 to 4 MB for a full kind. */
export const SPENT_LIMIT = 16_384;

type SpentRows = Map<AuthorityKind, BoundedSet>;

const SPENT_ROWS = Symbol("spent rows");

/** A row that becomes spent or valid at the commit. A linked list: a rollback to a savepoint drops later entries. */
interface Pending {
  readonly kind: AuthorityKind;
  readonly name: string;
  readonly isSpent: boolean;
  readonly before: Pending | undefined;
}

function spentRowsOf(db: Db): SpentRows {
  return engineState(db, SPENT_ROWS, (): SpentRows => new Map());
}

/** Returns a name of the row's version: all that its MAC covers. */
function versionName({ mac }: RawRow): string {
  return (mac as Uint8Array).toBase64();
}

function apply(spent: SpentRows, { kind, name, isSpent }: Omit<Pending, "before">): void {
  let names = spent.get(kind);
  if (names === undefined) spent.set(kind, names = createBoundedSet(SPENT_LIMIT));
  if (isSpent) names.add(name);
  else names.delete(name);
}

/** Records a change when the transaction commits, or at once outside a transaction. */
function recordChange(db: Db, change: Omit<Pending, "before">): void {
  const spent = spentRowsOf(db);
  if (!db.isTransaction) return apply(spent, change);
  const before = getTransactionState<Pending>(db, SPENT_ROWS);
  setTransactionState(db, SPENT_ROWS, { ...change, before } satisfies Pending);
  if (before === undefined) {
    const after = (): void => {
      const all: Pending[] = [];
      for (let each = getTransactionState<Pending>(db, SPENT_ROWS); each !== undefined; each = each.before) {
        all.push(each);
      }
      for (const each of all.reverse()) apply(spent, each);
    };
    atCommit(db, SPENT_ROWS, { before: () => Promise.resolve(), after });
  }
}

/** Records a deleted row as spent. Call it after a delete. */
export function recordDeleted(db: Db, kind: AuthorityKind, row: RawRow): void {
  const { spent } = lookupsOf(kind);
  if (spent === undefined) return;
  recordChange(db, {
    kind,
    name: nameOfRow(kind, row),
    isSpent: true,
  });
}

/** Records the previous version as spent, unless its authenticated columns did not change. Call it after an update. */
export function recordUpdated(db: Db, kind: AuthorityKind, before: RawRow, after: RawRow): void {
  if (lookupsOf(kind).spent !== "changed") return;
  const name = versionName(before);
  if (name !== versionName(after)) recordChange(db, { kind, name, isSpent: true });
  recordValidAgain(db, kind, after);
}

function recordValidAgain(db: Db, kind: AuthorityKind, row: RawRow): void {
  const name = versionName(row);
  if (sequenceOf(getKnown(db, kind), name) !== undefined) recordChange(db, { kind, name, isSpent: false });
}

/** Returns true if the row was used or deleted in this process or in the current transaction. */
export function isSpent(db: Db, kind: AuthorityKind, row: RawRow): boolean {
  return spentSequenceOf(db, kind, row) !== undefined;
}

/**
 * Returns the value of `countSpent` just before the row was spent, 0 if the current transaction spent it, or undefined
 * if it is not spent.
 */
export function spentSequenceOf(db: Db, kind: AuthorityKind, row: RawRow): number | undefined {
  const { spent } = lookupsOf(kind);
  if (spent === undefined) return undefined;
  const known = getKnown(db, kind);
  // A shortcut that computes no name for most rows.
  if (known.names === undefined && known.pending === undefined) return undefined;
  const ofKey = sequenceOf(known, nameOfRow(kind, row));
  return ofKey ?? (spent === "removed" ? undefined : sequenceOf(known, versionName(row)));
}

/** The spent rows of a kind, and the changes of the current transaction. */
interface Known {
  readonly kind: AuthorityKind;
  readonly names: BoundedSet | undefined;
  readonly pending: Pending | undefined;
}

function getKnown(db: Db, kind: AuthorityKind): Known {
  return { kind, names: spentRowsOf(db).get(kind), pending: getTransactionState<Pending>(db, SPENT_ROWS) };
}

function sequenceOf({ kind, names, pending }: Known, name: string): number | undefined {
  for (let each = pending; each !== undefined; each = each.before) {
    if (each.kind === kind && each.name === name) return each.isSpent ? 0 : undefined;
  }
  return names?.sequenceOf(name);
}

/** Returns the number of spent rows of a kind. A reader compares it before and after its query. */
export function countSpent(db: Db, kind: AuthorityKind): number {
  return spentRowsOf(db).get(kind)?.count() ?? 0;
}
