import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import type { Db } from "../../src/db/schema/schema.ts";
import { newId } from "../../src/lib/id.ts";
import { findRow } from "../../src/store/read.ts";
import { rowNumberOf } from "../../src/store/queries.ts";
import { consumeRow, insertRow, replaceRow } from "../../src/store/write.ts";
import { openTestDatabase } from "../support/database.ts";
import { createTestAuthority } from "../support/vault.ts";

const authority = createTestAuthority();
const random = (length: number): Uint8Array => crypto.getRandomValues(new Uint8Array(length));

async function insert(db: Db, id: string): Promise<void> {
  await insertRow(db, authority, "account", {
    id,
    email: null,
    name: null,
    language: "en",
    created_at: 1,
    email_proved_by: null,
    disabled_at: null,
    revision: null,
    updated_at: null,
  });
}

async function numberOf(db: Db, id: string): Promise<number> {
  const { rows: [row] } = await sql<{ number: number }>`select rowid as number from account where id = ${id}`
    .execute(db);
  return row!.number;
}

const isFound = async (db: Db, id: string): Promise<boolean> =>
  await findRow(db, authority, "account", "byId", { id }) !== undefined;

describe("rowNumberOf()", () => {
  test("returns the first 50 bits after the prefix, and a safe integer for any text", () => {
    assert.equal(rowNumberOf("account_0000000001xxxxxxxxxxxxxxxx"), 1);
    assert.equal(rowNumberOf("account_000000000v0000000000000000"), 31);
    assert.equal(rowNumberOf("account_vvvvvvvvvv0000000000000000"), 2 ** 50 - 1);
    for (const text of ["", "x", "account_", "ä_öü😀", "account_VVVVVVVVVVVVVVV"]) {
      assert.ok(Number.isSafeInteger(rowNumberOf(text)), text);
    }
  });
});

describe("a row that each request looks up by id", () => {
  test("is stored and found at its row number, in one tree", async () => {
    const db = await openTestDatabase();
    const ids = Array.from({ length: 20 }, () => newId("account", random));
    for (const id of ids) await insert(db, id);
    for (const id of ids) {
      assert.equal(await numberOf(db, id), rowNumberOf(id));
      assert.ok(await isFound(db, id));
    }
    const plan = await sql<{ detail: string }>`explain query plan
      select * from account where id = ${ids[0]} and rowid = ${1}`.execute(db);
    assert.match(plan.rows[0]!.detail, /INTEGER PRIMARY KEY \(rowid=\?\)/);
    await db.destroy();
  });

  test("is found and consumed at any row number: an older one, or one set by an attacker", async () => {
    const db = await openTestDatabase();
    const [one, two] = [newId("account", random), newId("account", random)];
    for (const id of [one, two]) await insert(db, id);
    await sql`update account set rowid = 7 where id = ${one}`.execute(db);
    await sql`update account set rowid = ${rowNumberOf(one)} where id = ${two}`.execute(db);
    assert.deepEqual([await isFound(db, one), await isFound(db, two)], [true, true]);
    await consumeRow(db, authority, "account", "byId", { id: one });
    assert.deepEqual([await isFound(db, one), await isFound(db, two)], [false, true]);
    await db.destroy();
  });

  test("is changed at any row number, and no other row is", async () => {
    const db = await openTestDatabase();
    const [one, two] = [newId("account", random), newId("account", random)];
    for (const id of [one, two]) await insert(db, id);
    const find = async (id: string) => (await findRow(db, authority, "account", "byId", { id }))!;
    await replaceRow(db, authority, "account", await find(one), { name: "at its number" });
    await sql`update account set rowid = 7 where id = ${one}`.execute(db);
    await sql`update account set rowid = ${rowNumberOf(one)} where id = ${two}`.execute(db);
    await replaceRow(db, authority, "account", await find(one), { name: "moved" });
    assert.deepEqual([(await find(one)).name, (await find(two)).name], ["moved", null]);
    assert.equal(await numberOf(db, one), 7);
    await db.destroy();
  });

  test("is inserted although another row has its number", async () => {
    const db = await openTestDatabase();
    const [one, two] = ["0000000000000000", "1111111111111111"].map((end) => `account_abcdefghij${end}`);
    for (const id of [one!, two!]) await insert(db, id);
    assert.deepEqual([await isFound(db, one!), await isFound(db, two!)], [true, true]);
    await assert.rejects(insert(db, one!), /UNIQUE constraint failed: account.id/);
    assert.equal(await numberOf(db, one!), rowNumberOf(one!));
    await db.destroy();
  });
});
