import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { transaction } from "../../../src/db/transaction.ts";
import { pageRows } from "../../../src/store/read.ts";
import { removeRow, replaceIfUnchanged, replaceRow } from "../../../src/store/write.ts";
import type { Row } from "../../support/lying-database.ts";
import { isInconsistent } from "../../support/state.ts";
import { changeOf, OWNED_KINDS, ownedStage, put } from "./stage.ts";

test("a page leaves out an older version that is put back at another place", async () => {
  await using stage = await ownedStage("client");
  const { db, authority, rows: [older], other } = stage;
  await replaceRow(db, authority, "client", older as never, { created_at: 1 + Number(other["created_at"]) });
  await put(db, "client", older!);
  const page = { after: undefined, limit: 9 };
  assert.deepEqual(await pageRows(db, authority, "client", "all", {}, page), [other]);
});

test("a page leaves out an older version that is put back, and whose newest is not in the list", async () => {
  await using stage = await ownedStage("client");
  const { db, authority, rows: [older], other } = stage;
  const { declared } = older as { readonly declared: number };
  await replaceRow(db, authority, "client", older as never, { declared: declared + 1 });
  await put(db, "client", older!);
  const page = { after: undefined, limit: 9 };
  assert.deepEqual(await pageRows(db, authority, "client", "declared", { declared }, page), [other]);
});

/** The service has the rows in memory, and an attacker puts back an older version of one before it writes. */
describe("an older version that is put back while its newest is in memory", () => {
  for (const kind of OWNED_KINDS) {
    test(`is not deleted in its place: ${kind}`, async () => {
      await using stage = await ownedStage(kind);
      const { db, authority, rows: [older] } = stage;
      const newest = await replaceRow(db, authority, kind, older as never, changeOf(stage, older!) as never);
      await put(db, kind, older!);
      // Thrown by the deletion itself: at the commit the rows may no longer be in memory.
      await transaction(db, (tx) => assert.rejects(removeRow(tx, authority, kind, newest), isInconsistent));
    });

    test(`is not changed: ${kind}`, async () => {
      await using stage = await ownedStage(kind);
      const { db, authority, rows: [older] } = stage;
      await replaceRow(db, authority, kind, older as never, changeOf(stage, older!) as never);
      await put(db, kind, older!);
      const change = changeOf(stage, older!) as Row;
      const changed = await transaction(
        db,
        (tx) => replaceIfUnchanged(tx, authority, kind, older as never, change as never),
      );
      assert.equal(changed, undefined);
    });
  }
});
