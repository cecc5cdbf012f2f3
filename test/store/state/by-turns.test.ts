import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Db } from "../../../src/db/schema/schema.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { primaryLookup } from "../../../src/store/lookups.ts";
import { findRow, listRows } from "../../../src/store/read.ts";
import { insertRow, removeRow, replaceRow } from "../../../src/store/write.ts";
import type { Row } from "../../support/lying-database.ts";
import { openSecondHandle } from "../../support/state.ts";
import { changeOf, ownedStage } from "./stage.ts";

/** Returns a repeatable sequence of numbers from 0 to `below - 1`. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

describe("two processes that write rows of one owner by turns", () => {
  for (const kind of ["session", "identity", "webhook"] as const) {
    test(`both read what is there, in random operations on ${kind}`, async () => {
      await using stage = await ownedStage(kind);
      const { db, authority } = stage;
      const handles = [db, openSecondHandle(db)];
      const next = randomNumbers(1);
      const expected = new Map<number, Row>([[0, stage.rows[0]!], [1, stage.rows[1]!], [2, stage.rows[2]!]]);
      for (let operation = 0; operation < 120; operation++) {
        const number = next(8);
        const present = expected.get(number);
        const isRolledBack = next(5) === 0;
        let after: Row | undefined;
        const done = transaction(handles[next(2)]!, async (tx) => {
          if (present === undefined) {
            after = await insertRow(tx, authority, kind, stage.next(number) as never) as unknown as Row;
          } else if (next(2) === 0) {
            await removeRow(tx, authority, kind, present as never);
          } else {
            const change = changeOf(stage, present) as never;
            after = await replaceRow(tx, authority, kind, present as never, change) as unknown as Row;
          }
          if (isRolledBack) throw new Error("It was rolled back");
        });
        if (isRolledBack) await assert.rejects(done, /It was rolled back/);
        else {
          await done;
          if (after === undefined) expected.delete(number);
          else expected.set(number, after);
        }
        // Each has a connection of its own.
        stage.dataVersion = operation;
        for (const handle of handles) {
          for (let each = 0; each < 8; each++) {
            const where = stage.next(each) as never;
            const found = await findRow(handle, authority, kind, primaryLookup(kind), where);
            assert.deepEqual(found, expected.get(each), `${operation}`);
          }
        }
      }
      assert.deepEqual(authority.inconsistent, []);
    });
  }
});

test("a process that writes without a read finds what another one wrote before", async () => {
  await using stage = await ownedStage("identity");
  const { db, authority } = stage;
  const other = openSecondHandle(db);
  const ids = async (handle: Db) => {
    const rows = await listRows(handle, authority, "identity", "ofAccount", { account_id: stage.owner });
    return rows.map(({ id }) => id);
  };
  await Promise.all([ids(db), ids(other)]);
  const expected = ["id 0", "id 1", "id 2"];
  for (const [number, handle] of [[3, other], [4, db], [5, db], [6, other]] as const) {
    await insertRow(
      handle,
      authority,
      "identity",
      stage.samples.plain(number, { account_id: stage.owner }) as never,
    );
    expected.push(`id ${number}`);
  }
  for (const handle of [db, other]) assert.deepEqual(await ids(handle), expected);
});
