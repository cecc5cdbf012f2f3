import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import type { Db } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { findRow, listRows, pageRows } from "../../src/store/read.ts";
import { consumeRow, insertRow, replaceRow } from "../../src/store/write.ts";
import { openLyingDatabase } from "../support/lying-database.ts";
import { createTestAuthority } from "../support/vault.ts";
import { samplesOf } from "./sample.ts";

/** Stages a device request that this process changes during a query, as can happen with several connections. */
async function stageOf() {
  const stage = await openLyingDatabase();
  const { db } = stage;
  await sql`pragma foreign_keys = off`.execute(db);
  const samples = await samplesOf(db, "device_request");
  const authority = createTestAuthority();
  const row = await insertRow(db, authority, "device_request", samples.plain(0) as never);
  let present = row;
  let queries = 0;
  /** Changes it during the given number of queries. After that it exists, or an old version is restored. */
  const change = (times: number, after: "there" | "restored"): void => {
    stage.lie = async ({ act, table, carryOut }) => {
      if (act !== "select" || table !== "device_request") return undefined;
      const rows = await carryOut();
      if (++queries > times) return after === "restored" ? [row as never] : undefined;
      const { lie } = stage;
      stage.lie = undefined;
      const later = { expires_at: present.expires_at + 1 };
      present = await transaction(
        db,
        (tx) => replaceRow(tx, authority, "device_request", present, later),
      );
      stage.lie = lie;
      return rows;
    };
  };
  return { db, authority, row, change, queries: () => queries };
}

type Read = (
  db: Db,
  stage: Awaited<ReturnType<typeof stageOf>>,
) => Promise<readonly { expires_at: number }[]>;

const READS: Readonly<Record<string, Read>> = {
  "findRow()": async (db, { authority, row }) => {
    const found = await findRow(db, authority, "device_request", "byId", { id: row.id });
    return found === undefined ? [] : [found];
  },
};

for (const [name, read] of Object.entries(READS)) {
  describe(`${name} whose query runs while this process changes a row`, () => {
    for (const times of [1, 2, 5]) {
      test(`queries again after each of ${times} changes, and returns the current row`, async () => {
        const stage = await stageOf();
        stage.change(times, "there");
        const expected = [stage.row.expires_at + times];
        assert.deepEqual((await read(stage.db, stage)).map((row) => row.expires_at), expected);
        assert.deepEqual([stage.queries(), stage.authority.rejected.length], [times + 1, 0]);
      });
    }

    test("throws after twenty queries, and reports no edited row", async () => {
      const stage = await stageOf();
      stage.change(Infinity, "there");
      await assert.rejects(async () => await read(stage.db, stage), { code: "conflict" });
      assert.deepEqual([stage.queries(), stage.authority.rejected.length], [20, 0]);
    });

    test("does not query a third time when the database returns the earlier row", async () => {
      const stage = await stageOf();
      stage.change(1, "restored");
      assert.deepEqual(await read(stage.db, stage), []);
      assert.deepEqual([stage.queries(), stage.authority.rejected.length], [2, 1]);
    });

    test("queries once for a row that was changed earlier and then restored", async () => {
      const stage = await stageOf();
      stage.change(1, "restored");
      await read(stage.db, stage);
      assert.deepEqual(await read(stage.db, stage), []);
      assert.deepEqual([stage.queries(), stage.authority.rejected.length], [3, 2]);
    });
  });
}

for (const name of ["listRows()", "pageRows()"]) {
  test(`${name} queries again when this process deletes a row meanwhile, and reports no edited row`, async () => {
    const stage = await openLyingDatabase();
    const { db } = stage;
    await sql`pragma foreign_keys = off`.execute(db);
    const samples = await samplesOf(db, "application_session");
    const authority = createTestAuthority();
    const row = await insertRow(db, authority, "application_session", samples.plain(0) as never);
    let queries = 0;
    stage.lie = async ({ act, table, carryOut }) => {
      if (act !== "select" || table !== "application_session") return undefined;
      queries++;
      const rows = await carryOut();
      stage.lie = undefined;
      await transaction(db, (tx) => consumeRow(tx, authority, "application_session", "byId", row));
      return rows;
    };
    const page = { after: undefined, limit: 9 };
    const found = name === "listRows()"
      ? await listRows(db, authority, "application_session", "ofAccount", row)
      : await pageRows(db, authority, "application_session", "ofAccount", row, page);
    assert.deepEqual(found, []);
    assert.deepEqual([queries, authority.rejected.length], [1, 0]);
  });
}
