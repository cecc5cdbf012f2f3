import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { keepLatest } from "../../src/db/sweep.ts";
import { openTestDatabase } from "../support/database.ts";

describe("keepLatest()", () => {
  const rowsAfter = async (count: number, limit: number): Promise<number[]> => {
    const db = await openTestDatabase();
    for (let at = 1; at <= count; at++) {
      await db.insertInto("logout_request").values({
        id: `logout_${at}`,
        client_id: null,
        hinted_sid: null,
        redirect_uri: null,
        state: null,
        created_at: 0,
        expires_at: at,
        mac: new Uint8Array(32),
      }).execute();
    }
    await keepLatest(db, { table: "logout_request", limit });
    const rows = await db.selectFrom("logout_request").select("expires_at").orderBy("expires_at").execute();
    return rows.map((row) => row.expires_at);
  };

  test("deletes the oldest rows beyond the limit", async () => {
    assert.deepEqual(await rowsAfter(7, 3), [5, 6, 7]);
  });

  test("deletes nothing up to the limit", async () => {
    assert.deepEqual(await rowsAfter(3, 3), [1, 2, 3]);
    assert.deepEqual(await rowsAfter(0, 3), []);
  });
});
