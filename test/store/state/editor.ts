import { idOf, kindsOf, nameOfRow, ownerColumnOf, SERVICE } from "../../../src/store/state/kinds.ts";
import { keyOf } from "../../../src/store/lookups.ts";
import type { AuthorityKind } from "../../../src/vault/authenticated-columns.ts";
import type { Row } from "../../support/lying-database.ts";
import { hide, OWNED_KINDS } from "./stage.ts";
import { nextEvent, pick, type State, type World } from "./world.ts";

/** Edits of an attacker who writes to the database and has kept everything that was ever stored. */

async function put(world: World, kind: AuthorityKind, row: Row): Promise<void> {
  world.edited.add(kind);
  await world.editor.replaceInto(kind).values(row as never).execute();
}

async function putState(world: World, state: State): Promise<void> {
  world.edited.add("owner_state");
  await world.editor.replaceInto("owner_state").values(state).execute();
}

function anyRow(world: World): { kind: AuthorityKind; row: Row } | undefined {
  const kinds = OWNED_KINDS.filter((kind) => world.rowsOfKind(kind).length > 0);
  if (kinds.length === 0) return undefined;
  const kind = pick(world.draw, kinds);
  return { kind, row: pick(world.draw, world.rowsOfKind(kind)) };
}

async function hideRow(world: World): Promise<void> {
  const found = anyRow(world);
  if (found === undefined) return;
  world.edited.add(found.kind);
  await hide(world.editor, found.kind, found.row);
}

/** Stores an older version of a row, or one that was deleted. */
async function restoreRow(world: World): Promise<void> {
  const kinds = OWNED_KINDS.filter((kind) => world.everyRow.get(kind)!.length > 0);
  if (kinds.length === 0) return;
  const kind = pick(world.draw, kinds);
  await put(world, kind, pick(world.draw, world.everyRow.get(kind)!));
}

/** Stores the version of a row before its last change, if it changed. */
async function restoreVersion(world: World): Promise<void> {
  const found = anyRow(world);
  if (found === undefined) return;
  const { kind, row } = found;
  const versions = world.everyRow.get(kind)!.filter((each) => nameOfRow(kind, each) === nameOfRow(kind, row));
  await put(world, kind, versions.at(-2) ?? versions[0]!);
}

/** Exchanges the content of rows, or their owners. */
async function swapRows(world: World): Promise<void> {
  const found = anyRow(world);
  if (found === undefined) return;
  const { kind, row } = found;
  const other = pick(world.draw, world.everyRow.get(kind)!);
  const column = ownerColumnOf(kind);
  const kept = world.draw(2) === 0 && column !== undefined ? [column] : keyOf(kind);
  const keeping = (from: Row): Row => Object.fromEntries(kept.map((name) => [name, from[name]]));
  await put(world, kind, { ...other, ...keeping(row) });
  if (world.draw(2) === 0) await put(world, kind, { ...row, ...keeping(other) });
}

async function hideState(world: World): Promise<void> {
  world.edited.add("owner_state");
  await world.editor.deleteFrom("owner_state").where("owner", "=", pick(world.draw, [...world.states.keys()]))
    .execute();
}

/** Stores an older state, or the state of another owner. */
async function restoreState(world: World): Promise<void> {
  const state = pick(world.draw, world.everyState);
  const owner = world.draw(3) > 0 ? state.owner : pick(world.draw, [...world.states.keys()]);
  await putState(world, { ...state, owner });
}

/** Stores all rows that an owner had, and mostly the state of then, which adds up with them. */
async function restoreOwner(world: World): Promise<void> {
  const { owner, rows, state } = pick(world.draw, world.snapshots);
  for (const kind of kindsOf(owner)) {
    world.edited.add(kind);
    const column = ownerColumnOf(kind);
    let deletion = world.editor.deleteFrom(kind);
    if (column !== undefined) deletion = deletion.where(column as never, "=", idOf(owner) as never);
    await deletion.execute();
  }
  for (const { kind, row } of rows) await put(world, kind, row);
  if (state !== undefined && world.draw(4) > 0) await putState(world, state);
}

/** Edits an entry of the log: it names another state of its owner, none, or that the state was deleted. */
async function editEntry(world: World): Promise<void> {
  const entries = await world.editor.selectFrom("audit_event").select(["seq", "account_id", "state"])
    .where("state", "is not", null).orderBy("seq", "desc").limit(40).execute();
  const { seq, account_id, state } = pick(world.draw, entries);
  const ofOwner = world.everyState.filter(({ owner }) => owner === (account_id ?? SERVICE));
  const states = [null, new Uint8Array(), ...ofOwner.slice(-4).map(({ mac }) => mac.slice(0, 12))];
  if (!world.editedEntries.has(seq)) world.editedEntries.set(seq, state);
  await world.editor.updateTable("audit_event").set({ state: pick(world.draw, states) }).where(
    "seq",
    "=",
    seq,
  )
    .execute();
}

const EDITS = [
  hideRow,
  hideRow,
  restoreRow,
  restoreRow,
  restoreVersion,
  swapRows,
  hideState,
  restoreState,
  restoreState,
  restoreOwner,
  restoreOwner,
  editEntry,
];

export async function editAnything(world: World): Promise<void> {
  await nextEvent();
  if (world.states.size > 0) await pick(world.draw, EDITS)(world);
}
