import { DatabaseError } from "../../db/error.ts";
import { prepared, preparedChange, type Slot } from "../../db/prepared-statement.ts";
import type { Db, Tables } from "../../db/schema/schema.ts";
import { sameValue } from "../../lib/object.ts";
import type { AuthorityKind } from "../../vault/authenticated-columns.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import { notWritten } from "../authentic.ts";
import {
  forgetState,
  headOf,
  type OwnerState,
  readState,
  updateState,
  whileChanging,
} from "./owner-state.ts";
import { allPending, type Change } from "./pending.ts";
import { updateCached } from "./row-sets.ts";
import { addSums, copySets, readSet, summandOf, versionOfSet, writeSet } from "./set-hash.ts";

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
  /** The new head of each owner; null if its state was deleted. */
  readonly heads: ReadonlyMap<string, Uint8Array | null>;
  /** Updates the rows in memory. Call it after the commit. */
  readonly committed: () => void;
}

/**
 * Writes the new state of each owner whose rows the transaction changed, by compare-and-set. Call it once, before the
 * commit. Throws `DatabaseError` `not_written` if the database did not write a state, and `conflict` if another
 * transaction changed it first.
 */
export async function writeStates(tx: Db, authority: RowAuthority): Promise<WrittenStates> {
  const byOwner = new Map<string, Change[]>();
  const forgotten = new Set<string>();
  const heads = new Map<string, Uint8Array | null>();
  const updates: (() => void)[] = [];
  for (const change of allPending(tx)) {
    if ("forgotten" in change) {
      forgotten.add(change.forgotten);
      byOwner.delete(change.forgotten);
    } else if ("rebuilt" in change) {
      heads.set(change.rebuilt, change.head);
      updates.push(() => forgetState(tx, change.rebuilt));
    } else if (!forgotten.has(change.owner)) {
      const changes = byOwner.get(change.owner);
      if (changes === undefined) byOwner.set(change.owner, [change]);
      else changes.push(change);
    }
  }
  for (const owner of forgotten) {
    await deleteState(tx, { owner });
    heads.set(owner, null);
    updates.push(() => forgetState(tx, owner));
  }
  for (const [owner, changes] of byOwner) {
    const { head, update } = await writeState(tx, authority, owner, changes);
    heads.set(owner, head);
    updates.push(update);
  }
  return { heads, committed: () => updates.forEach((update) => update()) };
}

async function writeState(
  tx: Db,
  authority: RowAuthority,
  owner: string,
  changes: readonly Change[],
): Promise<{ readonly head: Uint8Array; readonly update: () => void }> {
  const [{ kind }] = changes as readonly [Change];
  const read = () => readState(tx, authority, owner);
  const state = await whileChanging(tx, authority, { owner: () => owner, kind }, read);
  const columns = { owner, version: state.version + 1, sets: nextSets(authority, state, changes) };
  const row = { ...columns, mac: authority.mac("owner_state", columns) };
  const written = state.mac === undefined
    ? await insertState(tx, row)
    : await replaceState(tx, { ...row, before: state.mac });
  if (written !== 1) throw await unwritten(tx, state);
  const { version, sets, mac } = row;
  const update = (): void => {
    updateMemory(tx, state, changes, version);
    updateState(tx, { ...state, version, sets, mac });
  };
  return { head: headOf(mac), update };
}

function nextSets(authority: RowAuthority, state: OwnerState, changes: readonly Change[]): Uint8Array {
  const sets = copySets(state.sets, state);
  const deltas = new Map<AuthorityKind, bigint>();
  for (const { kind, before, after } of changes) {
    let delta = deltas.get(kind) ?? 0n;
    if (before !== undefined) delta = addSums(delta, -summandOf(authority, before));
    if (after !== undefined) delta = addSums(delta, summandOf(authority, after));
    deltas.set(kind, delta);
  }
  for (const [kind, delta] of deltas) {
    const index = state.kinds.indexOf(kind);
    const { sum } = readSet(authority, state, sets, index);
    writeSet(authority, state, sets, index, { version: state.version + 1, sum: addSums(sum, delta) });
  }
  return sets;
}

async function unwritten(tx: Db, { owner, mac }: OwnerState): Promise<DatabaseError> {
  const [present] = await selectMac(tx, { owner });
  return sameValue(present?.mac, mac)
    ? notWritten("owner_state", "the state was not changed")
    : new DatabaseError("conflict", "Cannot change state: another transaction changed it");
}

function updateMemory(db: Db, state: OwnerState, changes: readonly Change[], after: number): void {
  const { owner, kinds, sets } = state;
  for (const kind of new Set(changes.map((change) => change.kind))) {
    const before = versionOfSet(sets, kinds.indexOf(kind));
    const ofKind = changes.filter((change) => change.kind === kind);
    updateCached(db, { owner, kind, before, after }, ofKind);
  }
}
