import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findRow, listRows } from "../../../src/store/read.ts";
import { insertRow, removeRow, replaceRow } from "../../../src/store/write.ts";
import type { Row } from "../../support/lying-database.ts";
import { changeOf, type OwnedStage, ownedStage } from "./stage.ts";

const KIND = "session";

/** Changes of a set in memory, and the row that is stored under the asked name after it. */
const EDITS: Readonly<Record<string, (stage: OwnedStage, row: Row) => Promise<Row | undefined>>> = {
  "changes the row": async (stage, row) => {
    const change = changeOf(stage, row) as never;
    return await replaceRow(stage.db, stage.authority, KIND, row as never, change) as unknown as Row;
  },
  "deletes the row": async ({ db, authority }, row) => {
    await removeRow(db, authority, KIND, row as never);
    return undefined;
  },
  "inserts another row": async ({ db, authority, next }, row) => {
    await insertRow(db, authority, KIND, next(7) as never);
    return row;
  },
};

type Read = (stage: OwnedStage, id: string) => Promise<unknown>;

const READS: Readonly<Record<string, Read>> = {
  "findRow()": ({ db, authority }, id) => findRow(db, authority, KIND, "byId", { id }),
  "listRows()": async ({ db, authority, owner }, id) => {
    const rows = await listRows(db, authority, KIND, "latestOfAccount", { account_id: owner });
    return rows.find((row) => row.id === id);
  },
};

/** The set in memory is changed in place while a read of it waits for the database. */
for (const [title, read] of Object.entries(READS)) {
  describe(`${title} of a row with columns outside the MAC returns what is stored, while this process`, () => {
    for (const [name, edit] of Object.entries(EDITS)) {
      for (const moment of ["before", "after"]) {
        test(`${name} ${moment} the database reads the rows`, async () => {
          await using stage = await ownedStage(KIND);
          const row = stage.rows[0]!;
          const id = String(row["id"]);
          assert.deepEqual(await read(stage, id), row);
          let expected: Row | undefined = row;
          let edits = 0;
          stage.lie = async ({ act, table, carryOut }) => {
            if (act !== "select" || table !== KIND) return undefined;
            stage.lie = undefined;
            if (moment === "after") await carryOut();
            expected = await edit(stage, row);
            edits++;
            return await carryOut();
          };
          assert.deepEqual(await read(stage, id), expected);
          assert.equal(edits, 1);
          assert.deepEqual(stage.authority.inconsistent, []);
        });
      }
    }
  });
}
