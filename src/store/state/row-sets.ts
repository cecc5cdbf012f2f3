import { engineState } from "../../db/engine-state.ts";
import { engineOf } from "../../db/port.ts";
import type { Db } from "../../db/schema/schema.ts";
import type { AuthorityKind } from "../../vault/authenticated-columns.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { ownRow } from "../authentic.ts";
import type { RawRow } from "../lookups.ts";
import { selectOwned } from "../queries.ts";
import { CHANGED, findState, isNewest, type OwnerState, readState, whileChanging } from "./owner-state.ts";
import {
  applyChanges,
  type Change,
  fitChanges,
  pendingChanges,
  revertChange,
  withChanges,
} from "./pending.ts";
import { isFormerSet, kindsOf, nameOfRow, ownerOf, weightOfRow, weightOfRows } from "./kinds.ts";
import { readSet, sumOf, versionOfSet } from "./set-hash.ts";
import { stateTagsOf } from "./state-tags.ts";

export type Rows = ReadonlyMap<string, RawRow>;

/** The size from which a set is searched by an index of its rows. */
export const INDEXED_FROM = 1000;

/** All rows of one kind that belong to an owner, verified against its state. */
interface LoadedSet {
  readonly owner: string;
  readonly kind: AuthorityKind;
  /** The version of the set in the state. */
  version: number;
  /** By `nameOfRow`. Columns outside the MAC are as they were when the set was loaded. */
  readonly rows: Map<string, RawRow>;
  /** The engine's `dataVersion` at which the columns outside the MAC were read; undefined if they changed since. */
  freshAt?: number | undefined;
  /** The result of `weightOfRows`. */
  readonly weight: number;
}

/** The version of a set whose rows were changed: no state has it. */
const REPLACED = -1;

/** The maximum of usual rows in each of two generations of the cache: some 30 MB. */
const ROWS_CACHED = 30_000;

const CACHE = Symbol("row sets");

/** Sets by kind, then owner. Joined to one text, the two would have to be hashed for each read. */
type SetsByKind = Map<AuthorityKind, Map<string, LoadedSet>>;

interface Cache {
  lately: SetsByKind;
  before: SetsByKind;
  rows: number;
  /** The owners of the rows in `lately` that are looked up without one. */
  owners: Map<string, string>;
  ownersBefore: Map<string, string>;
  /** The number of changes of columns outside the MAC that this process made. */
  openChanges: number;
}

function emptyCache(): Cache {
  return {
    lately: new Map(),
    before: new Map(),
    rows: 0,
    owners: new Map(),
    ownersBefore: new Map(),
    openChanges: 0,
  };
}

function cacheOf(db: Db): Cache {
  return engineState(db, CACHE, emptyCache);
}

/** Kinds whose rows a secret names, without their owner. */
const NAMED_BY_SECRET: ReadonlySet<AuthorityKind> = new Set<AuthorityKind>(["api_token"]);

/** Returns the owner of a row that is in memory, or undefined if that is not known. */
export function cachedOwner(db: Db, kind: AuthorityKind, name: string): string | undefined {
  if (!NAMED_BY_SECRET.has(kind)) return undefined;
  const { owners, ownersBefore } = cacheOf(db);
  return owners.get(name) ?? ownersBefore.get(name);
}

function findCached(cache: Cache, kind: AuthorityKind, owner: string): LoadedSet | undefined {
  const found = cache.lately.get(kind)?.get(owner);
  if (found !== undefined) return found;
  const older = cache.before.get(kind)?.get(owner);
  if (older !== undefined) keep(cache, older);
  return older;
}

function keep(cache: Cache, set: LoadedSet): void {
  if (NAMED_BY_SECRET.has(set.kind)) {
    for (const name of set.rows.keys()) {
      cache.owners.set(name, set.owner);
    }
  }
  let ofKind = cache.lately.get(set.kind);
  if (ofKind === undefined) cache.lately.set(set.kind, ofKind = new Map());
  cache.rows += set.weight - (ofKind.get(set.owner)?.weight ?? 0);
  ofKind.set(set.owner, set);
  if (cache.rows <= ROWS_CACHED) return;
  Object.assign(cache, { ...emptyCache(), before: cache.lately, ownersBefore: cache.owners });
}

/** Forgets all sets. Call it if the log's history was replaced: its version numbers may come again. */
export function forgetSets(db: Db): void {
  Object.assign(cacheOf(db), emptyCache());
}

/** Forgets the sets of an owner. Call it if its state was deleted: its version numbers may come again. */
export function forgetSetsOf(db: Db, owner: string): void {
  const cache = cacheOf(db);
  for (const kind of kindsOf(owner)) {
    const set = cache.lately.get(kind)?.get(owner);
    if (set !== undefined) cache.rows -= set.weight;
    cache.lately.get(kind)?.delete(owner);
    cache.before.get(kind)?.delete(owner);
  }
}

/**
 * Returns all rows of a kind that belong to an owner, by `nameOfRow`, with the changes of the current transaction.
 * Throws `CHANGED` if they do not add up to the owner's state: run it in `whileChanging`.
 */
export async function readRows(
  db: Db,
  authority: RowAuthority,
  kind: AuthorityKind,
  owner: string,
): Promise<Rows> {
  const state = await readState(db, authority, owner);
  const version = versionOfSet(state.sets, state.kinds.indexOf(kind));
  const pending = pendingChanges(db, kind, owner);
  const cache = cacheOf(db);
  let set = findCached(cache, kind, owner);
  if (set?.version !== version) {
    const rows = await loadRows(db, authority, kind, state, pending);
    set = { owner, kind, version, rows, weight: weightOfRows(rows) };
    if (isNewest(db, state)) keep(cache, set);
  }
  const rows = withChanges(set.rows, pending);
  if (rows === undefined) throw CHANGED;
  return rows;
}

/**
 * Like `readRows`, from memory alone. Returns undefined if it must be read. A read from memory is not asynchronous:
 * each request has a dozen, and a promise for each of their steps takes longer than the read.
 */
export function findRows(db: Db, kind: AuthorityKind, owner: string): Rows | undefined {
  const state = findState(db, owner);
  if (state === undefined) return undefined;
  const set = findCached(cacheOf(db), kind, owner);
  if (set?.version !== versionOfSet(state.sets, state.kinds.indexOf(kind))) return undefined;
  return withChanges(set.rows, pendingChanges(db, kind, owner));
}

/** Like `readRows`, and throws `DatabaseError` `inconsistent` if the rows do not add up to the owner's state. */
export async function requireRows(
  db: Db,
  authority: RowAuthority,
  kind: AuthorityKind,
  owner: string,
): Promise<Rows> {
  const known = findRows(db, kind, owner);
  if (known !== undefined) return known;
  return await whileChanging(
    db,
    authority,
    { owner: () => owner, kind },
    () => readRows(db, authority, kind, owner),
  );
}

/** The largest set that is read again whole when a column outside the MAC may have changed. */
const SMALL_SET = 64;

/** Like `readFreshRows`, from memory alone. Returns undefined if it must be read. */
export function findFreshRows(db: Db, kind: AuthorityKind, owner: string): Rows | undefined {
  const freshAt = db.isTransaction ? undefined : engineOf(db).dataVersion?.();
  const state = freshAt === undefined ? undefined : findState(db, owner);
  if (state === undefined) return undefined;
  const set = findCached(cacheOf(db), kind, owner);
  if (set?.version !== versionOfSet(state.sets, state.kinds.indexOf(kind))) return undefined;
  return set.freshAt === freshAt ? set.rows : undefined;
}

/**
 * Like `readRows`, with the columns outside the MAC as they are now. Returns undefined if the row itself is cheaper to
 * read: in a transaction, for a large set, and for an engine that does not tell of changes.
 */
export async function readFreshRows(
  db: Db,
  authority: RowAuthority,
  kind: AuthorityKind,
  owner: string,
): Promise<Rows | undefined> {
  const freshAt = db.isTransaction ? undefined : engineOf(db).dataVersion?.();
  if (freshAt === undefined) return undefined;
  const state = await readState(db, authority, owner);
  const version = versionOfSet(state.sets, state.kinds.indexOf(kind));
  const cache = cacheOf(db);
  const set = findCached(cache, kind, owner);
  if (set?.version === version && set.freshAt === freshAt) return set.rows;
  if (set !== undefined && set.rows.size > SMALL_SET) return undefined;
  const { openChanges } = cache;
  const rows = await loadRows(db, authority, kind, state, []);
  if (!isNewest(db, state)) return rows;
  const isFresh = cache.openChanges === openChanges;
  const weight = weightOfRows(rows);
  keep(cache, { owner, kind, version, rows, weight, freshAt: isFresh ? freshAt : undefined });
  return rows;
}

/** Records that this process changes columns of an owner's row outside the MAC. */
export function recordOpenChange(db: Db, kind: AuthorityKind, owner: string): void {
  const cache = cacheOf(db);
  cache.openChanges++;
  const set = findCached(cache, kind, owner);
  if (set !== undefined) set.freshAt = undefined;
}

/**
 * Returns the stored rows that name an owner, unverified; of the service's clients, those without a state of their own.
 */
export async function selectRowsOf(db: Db, kind: AuthorityKind, owner: string): Promise<readonly RawRow[]> {
  const rows = await selectOwned(db, kind, owner);
  if (!isFormerSet(owner, kind)) return rows;
  const { table } = stateTagsOf(db);
  return rows.filter((row) => table.find(ownerOf(kind, row)!) === undefined);
}

/** Loads the rows as they were before the current transaction's changes, and compares their sum with the state. */
async function loadRows(
  db: Db,
  authority: RowAuthority,
  kind: AuthorityKind,
  state: OwnerState,
  pending: readonly Change[],
): Promise<Map<string, RawRow>> {
  const { owner, kinds, sets } = state;
  const rows = new Map<string, RawRow>();
  const { version, sum } = readSet(authority, { owner, kinds }, sets, kinds.indexOf(kind));
  if (version === 0 || (sum === 0n && isFormerSet(owner, kind))) return rows;
  for (const raw of await selectRowsOf(db, kind, owner)) {
    const row = ownRow(authority, kind, raw);
    if (row !== undefined) rows.set(nameOfRow(kind, row), row);
  }
  for (const change of pending.toReversed()) revertChange(rows, change);
  if (sumOf(authority, rows.values()) !== sum) throw CHANGED;
  return rows;
}

/**
 * Prepares the cached set of a kind, which has `before` as its version, with changes that are not committed. Returns a
 * function to call after the commit, or undefined if a change does not fit the set.
 */
export function prepareCached(
  db: Db,
  { owner, kind, before, after }: {
    readonly owner: string;
    readonly kind: AuthorityKind;
    readonly before: number;
    readonly after: number;
  },
  changes: readonly Change[],
): (() => void) | undefined {
  const cache = cacheOf(db);
  const set: LoadedSet | undefined = before === 0
    ? { owner, kind, version: 0, rows: new Map(), weight: 1 }
    : findCached(cache, kind, owner);
  if (set?.version !== before) return () => {};
  if (!fitChanges(set.rows, changes)) return undefined;
  let { weight } = set;
  for (const change of changes) weight += weightOfRow(change.after) - weightOfRow(change.before);
  return () => {
    if (set.version !== before) return;
    for (const { name, after } of changes) if (after === undefined) cache.owners.delete(name);
    // Indexes have the rows of before. No reader awaits anything between two rows.
    const rows = set.rows.size < INDEXED_FROM ? set.rows : new Map(set.rows);
    applyChanges(rows, changes);
    set.version = REPLACED;
    keep(cache, { owner, kind, version: after, rows, weight });
  };
}
