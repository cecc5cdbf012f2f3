import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Db, Tables } from "../../../src/db/schema/schema.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { forgetAccount } from "../../../src/store/delete-account-rows.ts";
import { lookupsOf } from "../../../src/store/lookups.ts";
import { findRow, listRows } from "../../../src/store/read.ts";
import { stateTagsOf } from "../../../src/store/state/state-tags.ts";
import { consumeRow, removeRow, replaceRow } from "../../../src/store/write.ts";
import { isInconsistent, openSecondHandle } from "../../support/state.ts";
import { changeOf, hide, OWNED_KINDS, ownedStage, put } from "./stage.ts";
import type { OwnedStage } from "./stage.ts";

async function statesIn(db: Db): Promise<readonly Tables["owner_state"][]> {
  return await db.selectFrom("owner_state").selectAll().orderBy("owner").execute();
}

/** Changes of the first row behind the service's back, after which a deletion must not count as done. */
const HIDDEN: Readonly<Record<string, (stage: OwnedStage) => Promise<unknown>>> = {
  "is hidden": ({ db, kind, rows: [row] }) => hide(db, kind, row!),
  "is edited": (stage) =>
    put(stage.db, stage.kind, { ...stage.rows[0]!, ...changeOf(stage, stage.rows[0]!) }),
  "is replaced by its older version": async (stage) => {
    const { db, authority, kind, rows: [row] } = stage;
    await replaceRow(db, authority, kind, row as never, changeOf(stage, row!) as never);
    await put(db, kind, row!);
  },
};

for (const kind of OWNED_KINDS) {
  describe(`deletions of ${kind}`, () => {
    for (const [title, attack] of Object.entries(HIDDEN)) {
      test(`are refused while the row ${title}, and the state stays as it is`, async () => {
        await using stage = await ownedStage(kind);
        const { db, authority, rows: [row] } = stage;
        await attack(stage);
        const states = await statesIn(db);
        for (const handle of [db, openSecondHandle(db)]) {
          // The whole row names its owner.
          for (const lookup of Object.keys(lookupsOf(kind).one)) {
            await assert.rejects(
              consumeRow(handle, authority, kind, lookup as never, row as never),
              isInconsistent,
            );
          }
          const removed = transaction(handle, (tx) => removeRow(tx, authority, kind, row as never));
          await assert.rejects(removed, isInconsistent);
        }
        assert.deepEqual(await statesIn(db), states);
      });
    }
  });
}

describe("forgetAccount() of an account with a state", () => {
  test("deletes the state, and its rows and state are refused when they are there again", async () => {
    const { db, authority, owner } = await ownedStage("identity");
    const states = await statesIn(db);
    const list = (handle: Db) => listRows(handle, authority, "identity", "ofAccount", { account_id: owner });
    const rows = await db.selectFrom("identity").selectAll().where("account_id", "=", owner).execute();
    await transaction(db, async (tx) => void await forgetAccount(tx, authority, owner));
    assert.deepEqual((await statesIn(db)).filter((state) => state.owner === owner), []);
    assert.equal(stateTagsOf(db).table.find(owner), undefined);
    const last = (await db.selectFrom("audit_event").selectAll().orderBy("seq").execute()).at(-1)!;
    assert.deepEqual([last.event, last.account_id, last.state?.length], ["state_changed", owner, 0]);
    for (const handle of [db, openSecondHandle(db)]) assert.deepEqual(await list(handle), []);
    await db.insertInto("identity").values(rows).execute();
    const find = (handle: Db) => findRow(handle, authority, "identity", "byId", { id: rows[0]!.id });
    for (const handle of [db, openSecondHandle(db)]) await assert.rejects(find(handle), isInconsistent);
    await db.insertInto("owner_state").values(states.find((state) => state.owner === owner)!).execute();
    for (const handle of [db, openSecondHandle(db)]) {
      await assert.rejects(find(handle), isInconsistent);
      await assert.rejects(list(handle), isInconsistent);
    }
  });
});
