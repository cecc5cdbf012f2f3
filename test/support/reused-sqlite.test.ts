import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import type { Db } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { openTestSqlite } from "./database.ts";

const ROW = { name: "one", subject: "s", full_at: 5 };

const insert = (db: Db): Promise<unknown> => db.insertInto("rate_limit").values(ROW).execute();
const names = async (db: Db): Promise<string[]> =>
  (await db.selectFrom("rate_limit").select("name").execute()).map(({ name }) => name);

describe("a database opened after one was closed", () => {
  const changes: readonly [title: string, change: (db: Db) => Promise<unknown>][] = [
    ["a row", insert],
    ["a row of a transaction", (db) => transaction(db, insert)],
    ["a transaction that does not end", (db) => {
      void transaction(db, async (tx) => {
        await insert(tx as Db);
        await new Promise(() => {});
      });
      return new Promise((done) => setTimeout(done, 5));
    }],
    ["a table", (db) => sql`create table rate_limits (name text) strict`.execute(db)],
    ["a table of a transaction", (db) =>
      transaction(db, async (tx) => {
        await sql`create table rate_limits (name text) strict`.execute(tx);
        await insert(tx as Db);
      })],
    ["a setting", (db) => sql`pragma foreign_keys = off`.execute(db)],
  ];

  for (const [title, change] of changes) {
    test(`has nothing of it: ${title}`, async () => {
      const before = await openTestSqlite();
      await change(before);
      await before.destroy();
      await using db = await openTestSqlite();
      assert.deepEqual(await names(db), []);
      const { rows: tables } = await sql`select 1 from sqlite_schema where name = 'rate_limits'`.execute(db);
      assert.deepEqual(tables, []);
      const { rows: [setting] } = await sql`select foreign_keys from pragma_foreign_keys`.execute(db);
      assert.deepEqual(setting, { foreign_keys: 1 });
    });
  }

  test("does not take statements of the closed one", async () => {
    const before = await openTestSqlite();
    await before.destroy();
    await using db = await openTestSqlite();
    await assert.rejects(insert(before), /closed database/);
    assert.deepEqual(await names(db), []);
  });

  test("keeps rows and rolls back as any other, also after a change of its schema or settings", async () => {
    await using db = await openTestSqlite();
    await insert(db);
    const failing = transaction(db, async (tx) => {
      await tx.deleteFrom("rate_limit").execute();
      await sql`create table rate_limits (name text) strict`.execute(tx);
      throw new RangeError("No");
    });
    await assert.rejects(failing, RangeError);
    assert.deepEqual(await names(db), ["one"]);
    await sql`pragma foreign_keys = off`.execute(db);
    await assert.rejects(
      transaction(db, async (tx) => {
        await tx.deleteFrom("rate_limit").execute();
        throw new RangeError("No");
      }),
      RangeError,
    );
    assert.deepEqual(await names(db), ["one"]);
  });
});
