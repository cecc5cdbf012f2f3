import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { prepared, preparedChange, type Slot } from "../../src/db/prepared-statement.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { openTestDatabase } from "../support/database.ts";

type Row = typeof row;
const insert = preparedChange((db: Db, slot: Slot<Row>) =>
  db.insertInto("rate_limit").values({
    name: slot("name"),
    subject: slot("subject"),
    full_at: slot("full_at"),
  })
);
const select = prepared((db: Db) => db.selectFrom("rate_limit").select("name"));
const row = { name: "one", subject: "s", full_at: 5 };

describe("runCompiled()", () => {
  test("waits outside a transaction until the open one ends", async () => {
    const db = await openTestDatabase();
    const { promise, resolve } = Promise.withResolvers<void>();
    const writing = transaction(db, async (tx) => {
      await insert(tx, row);
      await promise;
      throw new RangeError("No");
    });
    // Gives the statement time to reach the connection, so that the transaction has begun.
    await Promise.race([writing, new Promise((done) => setTimeout(done, 20))]).catch(() => {});
    const reading = select(db, {});
    resolve();
    await assert.rejects(writing, RangeError);
    assert.deepEqual(await reading, []);
    await db.destroy();
  });

  test("refuses a handle after its transaction", async () => {
    const db = await openTestDatabase();
    const kept = await transaction(db, (tx) => Promise.resolve({ tx }));
    await assert.rejects(insert(kept.tx, row), /its transaction has ended/);
    await assert.rejects(transaction(db, () => insert(kept.tx, row)), /its transaction has ended/);
    assert.deepEqual(await select(db, {}), []);
    await db.destroy();
  });

  test("writes and reads in a given transaction, and is rolled back with it", async () => {
    const db = await openTestDatabase();
    await assert.rejects(
      transaction(db, async (tx) => {
        await insert(tx, row);
        assert.deepEqual(await select(tx, {}), [{ name: "one" }]);
        throw new RangeError("No");
      }),
      RangeError,
    );
    assert.deepEqual(await select(db, {}), []);
    await insert(db, row);
    assert.deepEqual(await select(db, {}), [{ name: "one" }]);
    await db.destroy();
  });
});

describe("a handle", () => {
  test("refuses kysely's own transactions, connections, streams and plugins", async () => {
    const db = await openTestDatabase();
    const bypasses: readonly ((db: Db) => Promise<unknown>)[] = [
      (db) => db.transaction().execute((tx) => tx.deleteFrom("account").execute()),
      (db) => db.startTransaction().execute(),
      (db) => db.connection().execute((one) => one.deleteFrom("account").execute()),
      (db) => db.selectFrom("account").selectAll().stream().next(),
      async (db) => await db.withPlugin({} as never).selectFrom("account").execute(),
    ];
    for (const bypass of bypasses) {
      await assert.rejects(bypass(db), /past the database port/);
      await assert.rejects(transaction(db, bypass), /past the database port|not supported/);
    }
    await db.destroy();
  });

  test("ends its engine once, however often it is closed", async () => {
    const db = await openTestDatabase();
    await db.destroy();
    await db.destroy();
  });
});
