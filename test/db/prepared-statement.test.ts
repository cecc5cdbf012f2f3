import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { connect, engineOf, languageOf } from "../../src/db/port.ts";
import { prepared } from "../../src/db/prepared-statement.ts";
import type { Slot } from "../../src/db/prepared-statement.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { openTestDatabase } from "../support/database.ts";

interface Values {
  readonly name: string;
  readonly subject: string;
  readonly full_at: number;
}

describe("prepared()", () => {
  test("fills each slot with its value at any place, and keeps constants", async () => {
    const db = await openTestDatabase();
    const insert = prepared((db, slot: Slot<Values>) =>
      db.insertInto("rate_limit")
        .values({ name: slot("name"), subject: slot("subject"), full_at: slot("full_at") })
        .onConflict((conflict) =>
          conflict.columns(["name", "subject"]).doUpdateSet({ full_at: slot("full_at") })
        )
        .returningAll()
    );
    const find = prepared((db, slot: Slot<Pick<Values, "full_at">>) =>
      db.selectFrom("rate_limit").select("full_at").where("name", "=", "constant").where(
        "full_at",
        ">=",
        slot("full_at"),
      )
    );
    const row = { name: "constant", subject: "s", full_at: 5 };
    assert.deepEqual(await insert(db, row), [row]);
    assert.deepEqual(await insert(db, { ...row, full_at: 6 }), [{ ...row, full_at: 6 }]);
    await insert(db, { ...row, name: "other" });
    assert.deepEqual(await find(db, { full_at: 6 }), [{ full_at: 6 }]);
    assert.deepEqual(await find(db, { full_at: 7 }), []);
    await db.destroy();
  });

  test("builds its query once for all databases of a language and their transactions", async () => {
    let built = 0;
    const select = prepared((db: Db) => {
      built++;
      return db.selectFrom("account").selectAll();
    });
    const [one, other] = [await openTestDatabase(), await openTestDatabase()];
    await select(one, {});
    await select(one, {});
    await transaction(one, (tx) => select(tx, {}));
    await select(other, {});
    assert.equal(built, 1);
    const language = { ...languageOf(one) };
    await select(connect({ ...engineOf(one), language }), {});
    assert.equal(built, 2);
    await one.destroy();
    await other.destroy();
  });

  test("runs in the transaction given", async () => {
    const db = await openTestDatabase();
    const insert = prepared((db, slot: Slot<Pick<Values, "subject">>) =>
      db.insertInto("rate_limit").values({ name: "n", subject: slot("subject"), full_at: 1 })
    );
    const failed = transaction(db, async (tx) => {
      await insert(tx, { subject: "s" });
      throw new Error("No");
    });
    await assert.rejects(failed, /No/);
    assert.deepEqual(await db.selectFrom("rate_limit").selectAll().execute(), []);
    await db.destroy();
  });
});
