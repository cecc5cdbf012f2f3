import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Db } from "../../../src/db/schema/schema.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { sameValue } from "../../../src/lib/object.ts";
import { countRows, findRow, hasFewerRows, listRows, pageRows } from "../../../src/store/read.ts";
import { INDEXED_FROM } from "../../../src/store/state/row-sets.ts";
import { insertRow, removeRow, replaceRow } from "../../../src/store/write.ts";
import type { Row } from "../../support/lying-database.ts";
import { openSecondHandle } from "../../support/state.ts";
import { type OwnedStage, ownedStage } from "./stage.ts";

/** A set from `INDEXED_FROM` rows on is searched by indexes, and a smaller one is changed in place. */

type Key = Row & { readonly id: string; readonly address: Uint8Array; readonly key_index: number };

const KIND = "ethereum_key";
/** Numbers of keys that are not stored, but asked for. */
const ABSENT = [5000, 5001];

/** A stage with keys of one account, all written by this process. */
async function stageOf(size: number): Promise<OwnedStage & { readonly keys: Map<string, Key> }> {
  const stage = await ownedStage(KIND);
  const keys = new Map((stage.rows as readonly Key[]).map((row) => [row.id, row]));
  await transaction(stage.db, async (tx) => {
    for (let number = 100; keys.size < size; number++) {
      const row = await insert(tx, stage, number);
      keys.set(row.id, row);
    }
  });
  return Object.assign(stage, { keys });
}

async function insert(tx: Db, { authority, next }: OwnedStage, number: number): Promise<Key> {
  return await insertRow(tx, authority, KIND, next(number) as never) as never;
}

/** Compares each read of keys with the rows that are known to be stored. */
async function check(db: Db, stage: OwnedStage, expected: ReadonlyMap<string, Key>): Promise<void> {
  const { authority, owner, next } = stage;
  const where = { account_id: owner } as never;
  const sorted = [...expected.values()].sort((one, other) => one.key_index - other.key_index);
  assert.deepEqual(await listRows(db, authority, KIND, "ofAccount", where), sorted);
  const [last] = sorted.slice(-3);
  const page = { after: last as never, limit: 9 };
  assert.deepEqual(await pageRows(db, authority, KIND, "ofAccount", where, page), sorted.slice(-2));
  assert.equal(await countRows(db, authority, KIND, "ofAccount", where), expected.size);
  const sizes = [expected.size, expected.size + 1];
  const fewer = await Promise.all(sizes.map((size) => hasFewerRows(db, authority, KIND, where, size)));
  assert.deepEqual(fewer, [false, true]);
  const some = [...sorted.slice(0, 3), ...sorted.slice(-3), ...ABSENT.map((number) => next(number) as Key)];
  for (const { id, address, key_index } of some) {
    for (
      const [lookup, values] of [
        ["byId", { id }],
        ["ofAccountById", { account_id: owner, id }],
        ["byAddress", { account_id: owner, address }],
        ["byIndex", { account_id: owner, key_index }],
      ] as const
    ) {
      const stored = sorted.find((key) =>
        Object.entries(values).every(([name, value]) => sameValue(key[name], value))
      );
      assert.deepEqual(await findRow(db, authority, KIND, lookup, values as never), stored, lookup);
    }
  }
}

type Edit = (tx: Db, stage: OwnedStage, keys: Map<string, Key>) => Promise<void>;

/** Changes of a set, each with the same change of the rows that are known to be stored. */
const EDITS: Readonly<Record<string, Edit>> = {
  async insert(tx, stage, keys) {
    const row = await insert(tx, stage, ABSENT[0]!);
    keys.set(row.id, row);
  },
  async update(tx, { authority, next }, keys) {
    const [before] = keys.values();
    // Lookups name these columns, so an index of before would find the row.
    const { address, key_index } = next(ABSENT[1]!) as Key;
    const change = { address, key_index } as never;
    const after = await replaceRow(tx, authority, KIND, before as never, change) as unknown as Key;
    keys.set(after.id, after);
  },
  async delete(tx, { authority }, keys) {
    const before = [...keys.values()].at(-1)!;
    await removeRow(tx, authority, KIND, before as never);
    keys.delete(before.id);
  },
};

for (const size of [INDEXED_FROM - 1, INDEXED_FROM, INDEXED_FROM + 1]) {
  describe(`a set of ${size} rows`, () => {
    for (const [name, edit] of Object.entries(EDITS)) {
      test(`is read as it is stored before, within and after a transaction with: ${name}`, async () => {
        await using stage = await stageOf(size);
        const { db, authority, keys } = stage;
        await check(db, stage, keys);
        await transaction(db, async (tx) => {
          await check(tx, stage, keys);
          await edit(tx, stage, keys);
          await check(tx, stage, keys);
        });
        for (const handle of [db, openSecondHandle(db)]) await check(handle, stage, keys);
        assert.deepEqual(authority.inconsistent, []);
      });

      test(`is read as before after a transaction that was rolled back, with: ${name}`, async () => {
        await using stage = await stageOf(size);
        const { db, authority, keys } = stage;
        await check(db, stage, keys);
        const rolledBack = transaction(db, async (tx) => {
          await edit(tx, stage, new Map(keys));
          throw new Error("It was rolled back");
        });
        await assert.rejects(rolledBack, /It was rolled back/);
        await check(db, stage, keys);
        assert.deepEqual(authority.inconsistent, []);
      });

      test(`leaves a list that was read before as it is, with: ${name}`, async () => {
        await using stage = await stageOf(size);
        const { db, authority, owner, keys } = stage;
        const list = await listRows(db, authority, KIND, "ofAccount", { account_id: owner } as never);
        const before = structuredClone(list);
        await transaction(db, (tx) => edit(tx, stage, keys));
        assert.deepEqual(list, before);
      });
    }
  });
}

test("a set is read as it is stored while it grows and shrinks across the size of an index", async () => {
  await using stage = await stageOf(INDEXED_FROM - 2);
  const { db, authority, keys } = stage;
  for (const number of [6000, 6001, 6002]) {
    const row = await transaction(db, (tx) => insert(tx, stage, number));
    keys.set(row.id, row);
    await check(db, stage, keys);
  }
  for (let count = 0; count < 3; count++) {
    await transaction(db, (tx) => EDITS["delete"]!(tx, stage, keys));
    await check(db, stage, keys);
  }
  await check(openSecondHandle(db), stage, keys);
  assert.deepEqual(authority.inconsistent, []);
});
