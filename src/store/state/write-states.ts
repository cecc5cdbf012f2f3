import { writeOne } from "../../db/attempt.ts";
import { DatabaseError } from "../../db/error.ts";
import { prepared, preparedChange, type Slot } from "../../db/prepared-statement.ts";
import type { Db, Tables } from "../../db/schema/schema.ts";
import { sameValue } from "../../lib/object.ts";
import type { AuthorityKind } from "../../vault/authenticated-columns.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { notWritten } from "../authentic.ts";
import {
  forgetState,
  isNewest,
  type OwnerState,
  prepareState,
  readState,
  tagOf,
  whileChanging,
} from "./owner-state.ts";
import { allPending, type Change } from "./pending.ts";
import { forgetSetsOf, prepareCached } from "./row-sets.ts";
import { addSums, copySets, keepSummandOf, readSet, summandOf, versionOfSet, writeSet } from "./set-hash.ts";

type StateRow = Tables["owner_state"];

export const insertState = preparedChange((db, slot: Slot<StateRow>) =>
  db.insertInto("owner_state")
    .values({ owner: slot("owner"), version: slot("version"), sets: slot("sets"), mac: slot("mac") })
    .onConflict((conflict) => conflict.column("owner").doNothing())
);

const replaceState = preparedChange((db, slot: Slot<StateRow & { readonly before: Uint8Array }>) =>
  db.updateTable("owner_state").set({ version: slot("version"), sets: slot("sets"), mac: slot("mac") })
    .where("owner", "=", slot("owner")).where("mac", "=", slot("before"))
);

export const deleteState = preparedChange((db, slot: Slot<{ readonly owner: string }>) =>
  db.deleteFrom("owner_state").where("owner", "=", slot("owner"))
);

const selectMac = prepared((db, slot: Slot<{ readonly owner: string }>) =>
  db.selectFrom("owner_state").select("mac").where("owner", "=", slot("owner"))
);

/** The states that a transaction changed. */
export interface WrittenStates {
  /** The new state tag of each owner; null if its state was deleted. */
  readonly tags: ReadonlyMap<string, Uint8Array | null>;
  /** Fulfils once the database has written the states. Must be awaited before the commit. */
  readonly written: Promise<unknown>;
  /** Updates the rows in memory. Call it after the commit. */
  readonly committed: () => void;
}

/**
 * Writes the new state of each owner whose rows the transaction changed, by compare-and-set. Call it once, before the
 * commit. Does not wait for the database: `written` rejects with `DatabaseError` `not_written` if it did not write a
 * state, and with `conflict` if another transaction changed it first.
 */
export async function writeStates(tx: Db, authority: RowAuthority): Promise<WrittenStates> {
  const byOwner = new Map<string, Change[]>();
  const forgotten = new Set<string>();
  const tags = new Map<string, Uint8Array | null>();
  const writes: Promise<void>[] = [];
  const updates: (() => void)[] = [];
  for (const change of allPending(tx)) {
    if ("forgotten" in change) {
      forgotten.add(change.forgotten);
      byOwner.delete(change.forgotten);
    } else if ("rebuilt" in change) {
      tags.set(change.rebuilt, change.tag);
      updates.push(() => forgetState(tx, change.rebuilt));
    } else if (!forgotten.has(change.owner)) {
      const changes = byOwner.get(change.owner);
      if (changes === undefined) byOwner.set(change.owner, [change]);
      else changes.push(change);
    }
  }
  for (const owner of forgotten) {
    await deleteState(tx, { owner });
    tags.set(owner, null);
    updates.push(() => {
      forgetState(tx, owner);
      forgetSetsOf(tx, owner);
    });
  }
  for (const [owner, changes] of byOwner) {
    const { tag, written, update } = await writeState(tx, authority, owner, changes);
    tags.set(owner, tag);
    writes.push(written);
    updates.push(update);
  }
  return { tags, written: Promise.all(writes), committed: () => updates.forEach((update) => update()) };
}

async function writeState(
  tx: Db,
  authority: RowAuthority,
  owner: string,
  changes: readonly Change[],
): Promise<{ readonly tag: Uint8Array; readonly written: Promise<void>; readonly update: () => void }> {
  const [{ kind }] = changes as readonly [Change];
  const read = () => readState(tx, authority, owner);
  const state = await whileChanging(tx, authority, { owner: () => owner, kind }, read);
  const columns = { owner, version: state.version + 1, sets: nextSets(authority, state, changes) };
  const row = { ...columns, mac: authority.mac("owner_state", columns) };
  const { version, sets, mac } = row;
  const updates = [
    ...prepareSets(tx, authority, state, { changes, version }),
    prepareState(tx, { ...state, version, sets, mac }),
  ];
  const write = (handle: Db): Promise<number> =>
    state.mac === undefined ? insertState(handle, row) : replaceState(handle, { ...row, before: state.mac });
  const written = writeOne(tx, (handle) => requireWritten(handle, state, write(handle)));
  // Another owner's state may fail first.
  written.catch(() => {});
  const update = (): void => {
    if (isNewest(tx, row)) updates.forEach((each) => each());
  };
  return { tag: tagOf(mac), written, update };
}

function nextSets(authority: RowAuthority, state: OwnerState, changes: readonly Change[]): Uint8Array {
  const sets = copySets(state.sets, state);
  const deltas = new Map<AuthorityKind, bigint>();
  for (const { kind, before, after } of changes) {
    let delta = deltas.get(kind) ?? 0n;
    if (before !== undefined) delta = addSums(delta, -summandOf(authority, before));
    if (after !== undefined) delta = addSums(delta, keepSummandOf(authority, after));
    deltas.set(kind, delta);
  }
  for (const [kind, delta] of deltas) {
    const index = state.kinds.indexOf(kind);
    const { sum } = readSet(authority, state, sets, index);
    writeSet(authority, state, sets, index, { version: state.version + 1, sum: addSums(sum, delta) });
  }
  return sets;
}

async function requireWritten(tx: Db, { owner, mac }: OwnerState, written: Promise<number>): Promise<void> {
  if (await written === 1) return;
  const [present] = await selectMac(tx, { owner });
  throw sameValue(present?.mac, mac)
    ? notWritten("owner_state", "the state was not changed")
    : new DatabaseError("conflict", "Cannot change state: another transaction changed it");
}

/** Prepares the sets in memory. Throws `DatabaseError` `inconsistent` if the database hid a row that was inserted. */
function prepareSets(
  tx: Db,
  authority: RowAuthority,
  { owner, kinds, sets }: OwnerState,
  { changes, version }: { readonly changes: readonly Change[]; readonly version: number },
): readonly (() => void)[] {
  return [...new Set(changes.map((change) => change.kind))].map((kind) => {
    const before = versionOfSet(sets, kinds.indexOf(kind));
    const ofKind = changes.filter((change) => change.kind === kind);
    const update = prepareCached(tx, { owner, kind, before, after: version }, ofKind);
    if (update === undefined) throw authority.reportInconsistent(tx, owner, kind);
    return update;
  });
}
