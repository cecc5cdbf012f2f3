import assert from "node:assert/strict";
import { appendAudit } from "../../../src/audit/log.ts";
import { DatabaseError } from "../../../src/db/error.ts";
import type { Db } from "../../../src/db/schema/schema.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { sameValue } from "../../../src/lib/object.ts";
import { forgetAccount } from "../../../src/store/delete-account-rows.ts";
import { compare } from "../../../src/store/check-rows.ts";
import { lookupsOf, primaryLookup } from "../../../src/store/lookups.ts";
import { countRows, findRow, listRows, pageRows } from "../../../src/store/read.ts";
import {
  idOf,
  isFormerSet,
  isOfAccount,
  kindsOf,
  nameOfRow,
  ownerColumnOf,
  ownerOf,
  SERVICE,
} from "../../../src/store/state/kinds.ts";
import { insertRow, removeRow, replaceRow, upsertRow } from "../../../src/store/write.ts";
import { AUTHORITY } from "../../../src/vault/authenticated-columns.ts";
import type { AuthorityKind } from "../../../src/vault/authenticated-columns.ts";
import type { Row } from "../../support/lying-database.ts";
import { createTestVault } from "../../support/vault.ts";
import { isSingle, OWNED_KINDS, valuesIn } from "./stage.ts";
import { pick, type World } from "./world.ts";

const vault = createTestVault();
const NOW = 1_700_000_000_000;
/** The maximum of an owner's rows of one kind. */
const MAX_ROWS = 4;

const REFUSALS: readonly string[] = ["inconsistent", "log_cut", "not_written", "wrong_row"];

/** Thrown to roll back. */
const ROLLBACK = Symbol("rollback");
/** Thrown if a row that exists was not found: a lookup without the owner does not detect a hidden row. */
const ABSENT = Symbol("absent");

/** Returns the value, or undefined if the service refused, which it may while an attacker's edits are stored. */
async function orRefusal<T>(world: World, job: Promise<T>): Promise<{ readonly value: T } | undefined> {
  try {
    return { value: await job };
  } catch (error) {
    if (error === ROLLBACK) return undefined;
    const isRefusal = error === ABSENT || error instanceof DatabaseError && REFUSALS.includes(error.code);
    if (!isRefusal || !world.isAttacked) throw error;
    world.refusals++;
    return undefined;
  }
}

function isSameRow(kind: AuthorityKind, found: Row | undefined, expected: Row | undefined): boolean {
  if (found === undefined || expected === undefined) return found === expected;
  return [...AUTHORITY[kind].authenticated, "mac"].every((column) =>
    sameValue(found[column], expected[column])
  );
}

interface Change {
  readonly kind: AuthorityKind;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

/** Returns a new row of the owner. Its number, and so its key, was never used. */
function newRow(world: World, kind: AuthorityKind, owner: string): Row {
  const samples = world.template.samples.get(kind)!;
  const column = ownerColumnOf(kind);
  const common = Object.values(lookupsOf(kind).list).flatMap(({ none = [] }) => none);
  const change: Record<string, unknown> = Object.fromEntries(common.map((name) => [name, null]));
  if (column !== undefined) change[column] = idOf(owner);
  return samples.plain(++world.rowCount, change);
}

/** Returns a change of an authenticated column that selects no row. */
function newValue(world: World, kind: AuthorityKind): Row {
  const lists = Object.values(lookupsOf(kind).list).flatMap(({ by, none = [] }) => [...by, ...none]);
  const used = [...Object.values(lookupsOf(kind).one).flat(), ...lists, ownerColumnOf(kind)];
  const free = (AUTHORITY[kind].authenticated as readonly string[]).find((column) => !used.includes(column))!;
  return { [free]: world.template.samples.get(kind)!.plain(++world.rowCount)[free] };
}

/** A transaction of the service, and the rows that it has written. */
class Step {
  readonly changes: Change[] = [];
  readonly #world: World;
  readonly #tx: Db;
  readonly #owner: string;

  constructor(world: World, tx: Db, owner: string) {
    this.#world = world;
    this.#tx = tx;
    this.#owner = owner;
  }

  rowsOf(kind: AuthorityKind): Map<string, Row> {
    const rows = new Map(this.#world.rowsOf(kind, this.#owner));
    for (const { kind: changed, before, after } of this.changes) {
      if (changed !== kind) continue;
      if (after === undefined) rows.delete(nameOfRow(kind, before!));
      else rows.set(nameOfRow(kind, after), after);
    }
    return rows;
  }

  async #find(kind: AuthorityKind, expected: Row): Promise<never> {
    const { authority } = this.#world;
    const found = await findRow(this.#tx, authority, kind, primaryLookup(kind), expected as never);
    if (
      found === undefined &&
      ownerOf(kind, valuesIn(expected, lookupsOf(kind).one[primaryLookup(kind)]!)) === undefined
    ) {
      throw ABSENT;
    }
    assert.ok(isSameRow(kind, found as never, expected), `another row of ${kind}`);
    return found as never;
  }

  /** Returns the list of all rows of an owner, if the kind has one. */
  #listOf(kind: AuthorityKind): { readonly lookup: never; readonly where: never } | undefined {
    const column = ownerColumnOf(kind);
    const list = Object.entries(lookupsOf(kind).list).find(([, { by, none = [] }]) =>
      none.length === 0 && by.length === 1 && by[0] === column
    );
    return list && { lookup: list[0] as never, where: { [column!]: this.#owner } as never };
  }

  async insert(kind: AuthorityKind): Promise<void> {
    const { authority } = this.#world;
    const list = this.#world.draw(2) === 0 ? this.#listOf(kind) : undefined;
    // The service counts like this before an insertion, for a limit or the index of the next key.
    if (list !== undefined) {
      const count = await countRows(this.#tx, authority, kind, list.lookup, list.where);
      assert.equal(count, this.rowsOf(kind).size, `another number of rows of ${kind}`);
    }
    const row = newRow(this.#world, kind, this.#owner);
    if (!isSingle(kind)) {
      const after = await insertRow(this.#tx, authority, kind, row as never) as unknown as Row;
      this.changes.push({ kind, before: undefined, after });
      return;
    }
    const column = ownerColumnOf(kind)!;
    const [lookup] = Object.entries(lookupsOf(kind).one).find(([, columns]) =>
      columns.length === 1 && columns[0] === column
    )!;
    const [expected] = this.rowsOf(kind).values();
    const written = await upsertRow(this.#tx, authority, kind, lookup as never, row as never);
    assert.ok(isSameRow(kind, written.replaced as never, expected), `another row of ${kind} was replaced`);
    if (expected !== undefined) this.changes.push({ kind, before: expected, after: undefined });
    this.changes.push({ kind, before: undefined, after: written.row as unknown as Row });
  }

  async replace(kind: AuthorityKind, before: Row): Promise<void> {
    const { authority } = this.#world;
    const found = await this.#find(kind, before);
    const change = newValue(this.#world, kind) as never;
    const after = await replaceRow(this.#tx, authority, kind, found, change) as unknown as Row;
    this.changes.push({ kind, before, after });
  }

  async remove(kind: AuthorityKind, before: Row): Promise<void> {
    await removeRow(this.#tx, this.#world.authority, kind, await this.#find(kind, before));
    this.changes.push({ kind, before, after: undefined });
  }

  /** Deletes the rows of a list but one, as when other sessions end. */
  async removeOthers(kind: AuthorityKind): Promise<void> {
    const rows = this.rowsOf(kind);
    const [kept] = rows.keys();
    const list = this.#listOf(kind);
    if (list === undefined) return;
    const found = await listRows(this.#tx, this.#world.authority, kind, list.lookup, list.where);
    assert.equal(found.length, rows.size, `another number of rows of ${kind}`);
    for (const each of found as unknown as Row[]) {
      const before = rows.get(nameOfRow(kind, each));
      assert.ok(isSameRow(kind, each, before), `another row of ${kind}`);
      if (nameOfRow(kind, each) === kept) continue;
      await removeRow(this.#tx, this.#world.authority, kind, each as never);
      this.changes.push({ kind, before, after: undefined });
    }
  }

  async anything(): Promise<void> {
    const { draw } = this.#world;
    const kind = pick(draw, kindsOf(this.#owner).filter((each) => !isFormerSet(this.#owner, each)));
    const rows = [...this.rowsOf(kind).values()];
    const choice = draw(10);
    if (rows.length === 0 || (choice < 4 && rows.length < MAX_ROWS)) await this.insert(kind);
    else if (choice < 7) await this.replace(kind, pick(draw, rows));
    else if (choice < 9) await this.remove(kind, pick(draw, rows));
    else await this.removeOthers(kind);
  }
}

/** Changes some rows of an owner in one transaction, which may be rolled back. */
export async function changeRows(world: World): Promise<void> {
  const { draw } = world;
  const owner = pick(draw, world.owners);
  const isRolledBack = draw(12) === 0;
  const done = await orRefusal(
    world,
    transaction(await world.anyHandle(), async (tx) => {
      const step = new Step(world, tx, owner);
      for (let left = 1 + draw(3); left > 0; left--) await step.anything();
      if (draw(2) === 0) {
        const accountId = owner === SERVICE ? null : owner;
        await appendAudit(tx, vault, NOW, { event: "state_changed", accountId, subject: null, detail: {} });
      }
      if (isRolledBack) throw ROLLBACK;
      return step.changes;
    }),
  );
  if (done !== undefined && done.value.length > 0) await world.committed(owner, done.value);
}

/** Deletes an account with all its rows. Another takes its place, because an id is never used again. */
export async function deleteAccount(world: World): Promise<void> {
  const owner = pick(world.draw, world.owners.filter(isOfAccount));
  const db = await world.anyHandle();
  const done = await orRefusal(world, transaction(db, (tx) => forgetAccount(tx, world.authority, owner)));
  if (done === undefined) return;
  const changes = kindsOf(owner).flatMap((kind) =>
    [...world.rowsOf(kind, owner).values()].map((before) => ({ kind, before, after: undefined }))
  );
  await world.committed(owner, changes);
  world.owners[world.owners.indexOf(owner)] = `acc_${++world.rowCount + 3}`;
}

function matches(row: Row, columns: readonly string[], where: Row, none: readonly string[] = []): boolean {
  return columns.every((column) => sameValue(row[column], where[column])) &&
    none.every((column) => row[column] === null);
}

/** Finds a row that exists or existed, by one of its lookups. */
async function checkFind(world: World, db: Db, kind: AuthorityKind, row: Row): Promise<void> {
  const [lookup, columns] = pick(world.draw, Object.entries(lookupsOf(kind).one));
  const where = valuesIn(row, columns);
  const expected = world.rowsOfKind(kind).find((each) => matches(each, columns, where));
  const done = await orRefusal(
    world,
    findRow(db, world.authority, kind, lookup as never, where as never) as Promise<Row | undefined>,
  );
  if (done === undefined) return;
  if (done.value === undefined && world.isAttacked && ownerOf(kind, where) === undefined) return;
  assert.ok(isSameRow(kind, done.value, expected), `findRow() ${kind} ${lookup}`);
}

async function checkList(world: World, db: Db, kind: AuthorityKind, row: Row): Promise<void> {
  const lists = Object.entries(lookupsOf(kind).list);
  if (lists.length === 0) return;
  const [lookup, { by, none, order }] = pick(world.draw, lists);
  const where = valuesIn(row, by);
  const expected = world.rowsOfKind(kind).filter((each) => matches(each, by, where, none))
    .sort((one, other) => compare(order, one, other));
  const hasOwner = ownerOf(kind, where) !== undefined;
  const isPaged = order.length > 0 && order.every(([, direction]) => direction === "asc");
  const { authority } = world;
  if (hasOwner && world.draw(3) === 0) {
    const count = await orRefusal(world, countRows(db, authority, kind, lookup as never, where as never));
    if (count !== undefined) assert.equal(count.value, expected.length, `countRows() ${kind} ${lookup}`);
    return;
  }
  const read = isPaged && world.draw(2) === 0
    ? pageRows(db, authority, kind, lookup as never, where as never, { after: undefined, limit: 99 })
    : listRows(db, authority, kind, lookup as never, where as never);
  const done = await orRefusal(world, read as unknown as Promise<readonly Row[]>);
  if (done === undefined) return;
  // A list of several owners does not detect a hidden row.
  const right = hasOwner || !world.isAttacked
    ? expected
    : expected.filter((each) => done.value.some((found) => sameValue(found["mac"], each["mac"])));
  assert.equal(done.value.length, right.length, `${kind} ${lookup}`);
  const isRight = (found: Row, index: number): boolean =>
    order.length > 0
      ? isSameRow(kind, found, right[index])
      : right.some((each) => isSameRow(kind, found, each));
  assert.ok(done.value.every(isRight), `${kind} ${lookup}`);
}

/** Reads something, and compares the answer with the model. */
export async function readAnything(world: World): Promise<void> {
  const kinds = OWNED_KINDS.filter((kind) => world.everyRow.get(kind)!.length > 0);
  if (kinds.length === 0) return;
  const kind = pick(world.draw, kinds);
  const row = pick(
    world.draw,
    world.draw(2) === 0 ? world.everyRow.get(kind)! : world.everyRow.get(kind)!.slice(-6),
  );
  const db = await world.anyHandle();
  await (world.draw(2) === 0 ? checkFind(world, db, kind, row) : checkList(world, db, kind, row));
}
