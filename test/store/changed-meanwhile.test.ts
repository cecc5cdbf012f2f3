import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Db } from "../../src/db/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { findRow, listRows, pageRows } from "../../src/store/read.ts";
import { insertRow, replaceRow } from "../../src/store/write.ts";
import { openLyingDatabase } from "../support/lying-database.ts";
import { createTestAuthority } from "../support/vault.ts";
import { samplesOf } from "./sample.ts";

/** A session, of which an answer is under way while this process changes it: several connections do that. */
async function stageOf() {
  const stage = await openLyingDatabase();
  const { db } = stage;
  const samples = await samplesOf(db, "session");
  const authority = createTestAuthority();
  const row = await insertRow(db, authority, "session", samples.plain(0) as never);
  const later = row.expires_at + 1;
  let questions = 0;
  const change = (isPutBack: boolean): void => {
    stage.lie = async ({ act, table, carryOut }) => {
      if (act !== "select" || table !== "session") return undefined;
      const rows = await carryOut();
      if (++questions > 1) return isPutBack ? [row as never] : undefined;
      const { lie } = stage;
      stage.lie = undefined;
      await transaction(db, (tx) => replaceRow(tx, authority, "session", row, { expires_at: later }));
      stage.lie = lie;
      return rows;
    };
  };
  return { db, authority, row, later, change, questions: () => questions };
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
    const asked = { account_id: row.account_id };
    return await pageRows(db, authority, "session", "latestOfAccount", asked, { after: undefined, limit: 9 });
  },
};

for (const [name, read] of Object.entries(READS)) {
  describe(`${name} whose answer is under way while this process changes a row`, () => {
    test("asks once more, and gives the row as it is now", async () => {
      const stage = await stageOf();
      stage.change(false);
      assert.deepEqual((await read(stage.db, stage)).map((row) => row.expires_at), [stage.later]);
      assert.deepEqual([stage.questions(), stage.authority.rejected.length], [2, 0]);
    });

    test("asks no third time of a database that answers with the row of before", async () => {
      const stage = await stageOf();
      stage.change(true);
      assert.deepEqual(await read(stage.db, stage), []);
      assert.deepEqual([stage.questions(), stage.authority.rejected.length], [2, 1]);
    });
  });
}
