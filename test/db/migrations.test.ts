import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, test } from "node:test";
import { MIGRATION_NAMES, MIGRATIONS } from "../../src/db/migrations/migrations.ts";
import { openTestDatabase } from "../support/database.ts";

const FOLDER = new URL("../../src/db/migrations/", import.meta.url);

describe("the migrations", () => {
  test("are numbered from 1 in order, without a gap and each number once", () => {
    const numbers = MIGRATION_NAMES.map((name) => /^(\d{4})_[a-z]\w*$/.exec(name)?.[1]);
    assert.deepEqual(numbers, MIGRATION_NAMES.map((_, index) => String(index + 1).padStart(4, "0")));
  });

  test("include each file of the folder", () => {
    const names = readdirSync(FOLDER).filter((name) => name !== "migrations.ts").map((name) =>
      name.slice(0, -3)
    );
    assert.ok(names.includes("0001_init"));
    assert.deepEqual(names.filter((name) => !MIGRATION_NAMES.includes(name)), []);
  });

  test("move the response that contains a refresh token from the used token's row to its own", async () => {
    const db = await openTestDatabase();
    const answer = new TextEncoder().encode("sealed");
    const common = { secret_hash: "", grant_id: "grant_1", created_at: 0, expires_at: 1, mac: answer };
    const chain = [
      { id: "first", parent_id: null, successor_id: "second", spent_at: 1, answer: null },
      { id: "second", parent_id: "first", successor_id: "third", spent_at: 2, answer },
      { id: "third", parent_id: "second", successor_id: null, spent_at: null, answer: null },
      { id: "other", parent_id: null, successor_id: null, spent_at: null, answer: null },
    ];
    await db.insertInto("refresh_token").values(chain.map((row) => ({ ...common, ...row }))).execute();
    await MIGRATIONS["0017_token_answer"]!.up(db);
    const rows = await db.selectFrom("refresh_token").select("id").where("answer", "is not", null).execute();
    assert.deepEqual(rows, [{ id: "third" }]);
    await db.destroy();
  });
});
