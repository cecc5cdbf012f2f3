import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Db } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { openTestDatabase } from "../support/database.ts";

async function insert(db: Db, id: string): Promise<void> {
  const row = { id, email: null, name: null, language: "en", created_at: 0, mac: new Uint8Array(32) };
  await db.insertInto("account").values(row).execute();
}

async function ids(db: Db): Promise<string[]> {
  return (await db.selectFrom("account").select("id").orderBy("id").execute()).map(({ id }) => id);
}

describe("transaction()", () => {
  test("commits the job's writes and returns its result", async () => {
    const db = await openTestDatabase();
    const value = await transaction(db, async (tx) => {
      await insert(tx, "a");
      return 7;
    });
    assert.equal(value, 7);
    assert.deepEqual(await ids(db), ["a"]);
    await db.destroy();
  });

  test("rolls back when the job rejects, and rejects with its error", async () => {
    const db = await openTestDatabase();
    const error = new Error("No");
    const failed = transaction(db, async (tx) => {
      await insert(tx, "a");
      throw error;
    });
    await assert.rejects(failed, (thrown) => thrown === error);
    assert.deepEqual(await ids(db), []);
    await db.destroy();
  });

  test("joins a given transaction: inner writes are rolled back when the outer one fails", async () => {
    const db = await openTestDatabase();
    const failed = transaction(db, async (tx) => {
      await transaction(tx, (inner) => insert(inner, "a"));
      assert.deepEqual(await ids(tx), ["a"]);
      throw new Error("No");
    });
    await assert.rejects(failed, /No/);
    assert.deepEqual(await ids(db), []);
    await db.destroy();
  });

  test("lets other work on the outer handle wait for its end", async () => {
    const db = await openTestDatabase();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const writing = transaction(db, async (tx) => {
      await insert(tx, "a");
      begin();
      await mayEnd;
    });
    await begun;
    const reading = ids(db);
    end();
    assert.deepEqual(await reading, ["a"]);
    await writing;
    await db.destroy();
  });
});
