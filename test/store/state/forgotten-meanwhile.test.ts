import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { connectDatabase } from "../../../src/db/database.ts";
import { engineOf } from "../../../src/db/port.ts";
import type { Db } from "../../../src/db/schema/schema.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { findRow } from "../../../src/store/read.ts";
import { recordForgotten } from "../../../src/store/state/pending.ts";
import { insertRow, removeRow } from "../../../src/store/write.ts";
import { openSecondHandle } from "../../support/state.ts";
import { ownedStage } from "./stage.ts";

/** An address with a use of a code in the database, which two processes read and write. */
async function stageOf() {
  const stage = await ownedStage("code_use");
  stage.dataVersion = 0;
  const { db, authority, owner, samples } = stage;
  const where = { address_id: owner };
  const find = (handle: Db) => findRow(handle, authority, "code_use", "byAddress", where as never);
  return {
    stage,
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
    row: stage.rows[0] as never,
    find,
    /** Deletes the address's state in the first process. The other one reads that in the log. */
    async forget(other: Db): Promise<void> {
      const row = await find(db);
      await transaction(db, async (tx) => {
        await removeRow(tx, authority, "code_use", row!);
        recordForgotten(tx, authority, owner);
      });
      stage.dataVersion!++;
      await authority.followLog(other);
    },
    /** Stores a use by a process. */
    async use(handle: Db, number: number) {
      const row = await insertRow(handle, authority, "code_use", samples.plain(number, where) as never);
      stage.dataVersion!++;
      return row;
    },
  };
}

/** The address is an owner again after its state was deleted, and the versions of its state begin again. */
describe("a set in memory is not used for a later state of its owner", () => {
  test("when the process read it while another one deleted the state", async () => {
    await using staged = await stageOf();
    const { stage, row, find, forget, use } = staged;
    const reader = openSecondHandle(stage.db);
    stage.lie = async ({ act, table, carryOut }) => {
      if (act !== "select" || table !== "code_use") return undefined;
      stage.lie = undefined;
      const rows = await carryOut();
      await forget(reader);
      return rows;
    };
    assert.deepEqual(await find(reader), row);
    const later = await use(stage.db, 2);
    assert.deepEqual(await find(reader), later);
    assert.deepEqual(stage.authority.inconsistent, []);
  });

  test("when another process deleted the state just after the commit", async () => {
    await using staged = await stageOf();
    const { stage, find, forget, use } = staged;
    const engine = engineOf(stage.db);
    let afterCommit = async (): Promise<void> => {};
    const writer = connectDatabase({
      ...engine,
      async transaction(job, scope) {
        const value = await engine.transaction(job, scope);
        await afterCommit();
        return value;
      },
    });
    await forget(writer);
    afterCommit = () => forget(writer);
    await use(writer, 1);
    const later = await use(stage.db, 2);
    assert.deepEqual(await find(writer), later);
    assert.deepEqual(stage.authority.inconsistent, []);
  });
});
