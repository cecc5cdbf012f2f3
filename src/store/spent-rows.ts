import { atCommit, recall, remember } from "../db/transaction.ts";
import { processMemory } from "../db/engine-state.ts";
import type { Db } from "../db/schema/schema.ts";
import { latestNames } from "../lib/bounded-set.ts";
import type { LatestNames } from "../lib/bounded-set.ts";
import type { AuthorityKind } from "../vault/authenticated-columns.ts";
import type { RawRow } from "./lookups.ts";
import { keyOf, waysOf } from "./lookups.ts";

/**
 * Rows that are over are remembered in the process: whoever puts one back into the database, or has a trigger keep it,
 * gains nothing as long as the process runs. Other processes know nothing of it.
 */

/** Of each kind so many are remembered, the latest: 2 to 4 MB for a kind of which there are as many. */
export const OVER_LIMIT = 16_384;

type Over = Map<AuthorityKind, LatestNames>;

const OVER = Symbol("rows that are over");

/**
 * What a transaction makes over, or makes again, for its commit: a chain, so that what is rolled back to a savepoint is
 * dropped.
 */
interface Pending {
  readonly kind: AuthorityKind;
  readonly name: string;
  readonly isOver: boolean;
  readonly before: Pending | undefined;
}

function overIn(db: Db): Over {
  return processMemory(db, OVER, (): Over => new Map());
}

/** A row's name by its key, which is drawn at random and never drawn again. */
function keyName(kind: AuthorityKind, row: RawRow): string {
  const key = keyOf(kind);
  return key.length === 1 ? String(row[key[0]!]) : key.map((column) => row[column]).join("\0");
}

/** A row's name by all that its MAC covers. */
function versionName({ mac }: RawRow): string {
  return (mac as Uint8Array).toBase64();
}

function apply(over: Over, { kind, name, isOver }: Omit<Pending, "before">): void {
  let names = over.get(kind);
  if (names === undefined) over.set(kind, names = latestNames(OVER_LIMIT));
  if (isOver) names.add(name);
  else names.delete(name);
}

/** Remembers what becomes of a name when its transaction commits; outside of one at once. */
function note(db: Db, noted: Omit<Pending, "before">): void {
  const over = overIn(db);
  if (!db.isTransaction) return apply(over, noted);
  const before = recall<Pending>(db, OVER);
  remember(db, OVER, { ...noted, before } satisfies Pending);
  if (before === undefined) {
    const after = (): void => {
      const all: Pending[] = [];
      for (let each = recall<Pending>(db, OVER); each !== undefined; each = each.before) all.push(each);
      for (const each of all.reverse()) apply(over, each);
    };
    atCommit(db, OVER, { before: () => Promise.resolve(), after });
  }
}

/** For whoever has deleted a row: it is over. */
export function noteRemoved(db: Db, kind: AuthorityKind, row: RawRow): void {
  const { over } = waysOf(kind);
  if (over === undefined) return;
  note(db, { kind, name: over === "version" ? versionName(row) : keyName(kind, row), isOver: true });
}

/** For whoever has changed a row: it is over as it was, unless it is as it was. */
export function noteChanged(db: Db, kind: AuthorityKind, before: RawRow, after: RawRow): void {
  if (waysOf(kind).over !== "changed") return;
  const name = versionName(before);
  if (name !== versionName(after)) note(db, { kind, name, isOver: true });
  noteAgain(db, kind, after);
}

/** For whoever has inserted a row: it may be what there was before, where such rows come again. */
export function noteInserted(db: Db, kind: AuthorityKind, row: RawRow): void {
  if (waysOf(kind).over === "version") noteAgain(db, kind, row);
}

/** A version that the service has written is what there is. */
function noteAgain(db: Db, kind: AuthorityKind, row: RawRow): void {
  const name = versionName(row);
  if (placeOf(whatIsKnown(db, kind), name) !== undefined) note(db, { kind, name, isOver: false });
}

/** Whether a row is known to be over, or will be with the transaction that this is. */
export function isOver(db: Db, kind: AuthorityKind, row: RawRow): boolean {
  return overSince(db, kind, row) !== undefined;
}

/** How many of a kind were known to be over before this one was, as `countOver` has them; undefined where it is not. */
export function overSince(db: Db, kind: AuthorityKind, row: RawRow): number | undefined {
  const { over } = waysOf(kind);
  if (over === undefined) return undefined;
  const known = whatIsKnown(db, kind);
  // Spares most rows their names.
  if (known.names === undefined && known.pending === undefined) return undefined;
  const ofKey = over === "version" ? undefined : placeOf(known, keyName(kind, row));
  return ofKey ?? (over === "removed" ? undefined : placeOf(known, versionName(row)));
}

/** What is known to be over of a kind, and what the transaction that this is makes of it. */
interface Known {
  readonly kind: AuthorityKind;
  readonly names: LatestNames | undefined;
  readonly pending: Pending | undefined;
}

function whatIsKnown(db: Db, kind: AuthorityKind): Known {
  return { kind, names: overIn(db).get(kind), pending: recall<Pending>(db, OVER) };
}

function placeOf({ kind, names, pending }: Known, name: string): number | undefined {
  for (let each = pending; each !== undefined; each = each.before) {
    if (each.kind === kind && each.name === name) return each.isOver ? 0 : undefined;
  }
  return names?.placeOf(name);
}

/** How many of a kind have been over by now: whoever asks the database compares what is over since. */
export function countOver(db: Db, kind: AuthorityKind): number {
  return overIn(db).get(kind)?.count() ?? 0;
}
