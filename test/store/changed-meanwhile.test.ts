import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Db } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { findRow, listRows, pageRows } from "../../src/store/read.ts";
import { insertRow, replaceRow } from "../../src/store/write.ts";
import { openLyingDatabase } from "../support/lying-database.ts";
import { createTestAuthority } from "../support/vault.ts";
import { samplesOf } from "./sample.ts";

/** Stages a session that this process changes during a query, as can happen with several connections. */
async function stageOf() {
  const stage = await openLyingDatabase();
  const { db } = stage;
  const samples = await samplesOf(db, "session");
  const authority = createTestAuthority();
  const row = await insertRow(db, authority, "session", samples.plain(0) as never);
  let present = row;
  let questions = 0;
  /** Changes it during the given number of queries. After that it exists, or an old version is restored. */
  const change = (times: number, after: "there" | "put back"): void => {
    stage.lie = async ({ act, table, carryOut }) => {
      if (act !== "select" || table !== "session") return undefined;
      const rows = await carryOut();
      if (++questions > times) return after === "put back" ? [row as never] : undefined;
      const { lie } = stage;
      stage.lie = undefined;
      const later = { expires_at: present.expires_at + 1 };
      present = await transaction(db, (tx) => replaceRow(tx, authority, "session", present, later));
      stage.lie = lie;
      return rows;
    };
  };
  return { db, authority, row, change, questions: () => questions };
}

type Read = (
  db: Db,
  stage: Awaited<ReturnType<typeof stageOf>>,
) => Promise<readonly { expires_at: number }[]>;

const READS: Readonly<Record<string, Read>> = {
  "findRow()": async (db, { authority, row }) => {
    const found = await findRow(db, authority, "session", "byId", { id: row.id });
    return found === undefined ? [] : [found];
  },
  "listRows()": async (db, { authority, row }) =>
    await listRows(db, authority, "session", "latestOfAccount", { account_id: row.account_id }),
  "pageRows()": async (db, { authority, row }) => {
    const where = { account_id: row.account_id };
    return await pageRows(db, authority, "session", "latestOfAccount", where, { after: undefined, limit: 9 });
  },
};

for (const [name, read] of Object.entries(READS)) {
  describe(`${name} whose answer is under way while this process changes a row`, () => {
    for (const times of [1, 2, 5]) {
      test(`asks again, ${times} times where it is changed so often, and gives the row as it is now`, async () => {
        const stage = await stageOf();
        stage.change(times, "there");
        const expected = [stage.row.expires_at + times];
        assert.deepEqual((await read(stage.db, stage)).map((row) => row.expires_at), expected);
        assert.deepEqual([stage.questions(), stage.authority.rejected.length], [times + 1, 0]);
      });
    }

    test("gives up after twenty times, and says nothing of an edited row", async () => {
      const stage = await stageOf();
      stage.change(Infinity, "there");
      await assert.rejects(async () => await read(stage.db, stage), { code: "conflict" });
      assert.deepEqual([stage.questions(), stage.authority.rejected.length], [20, 0]);
    });

    test("asks no third time of a database that answers with the row of before", async () => {
      const stage = await stageOf();
      stage.change(1, "put back");
      assert.deepEqual(await read(stage.db, stage), []);
      assert.deepEqual([stage.questions(), stage.authority.rejected.length], [2, 1]);
    });

    test("asks once for a row that was changed before, and put back", async () => {
      const stage = await stageOf();
      stage.change(1, "put back");
      await read(stage.db, stage);
      assert.deepEqual(await read(stage.db, stage), []);
      assert.deepEqual([stage.questions(), stage.authority.rejected.length], [3, 2]);
    });
  });
}
