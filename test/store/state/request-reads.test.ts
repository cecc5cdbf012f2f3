import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { connectDatabase } from "../../../src/db/database.ts";
import { engineOf, forRequest } from "../../../src/db/port.ts";
import type { Db } from "../../../src/db/schema/schema.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { expectRows, findRow, listRows } from "../../../src/store/read.ts";
import { removeRow } from "../../../src/store/write.ts";
import { isInconsistent } from "../../support/state.ts";
import { ownedStage } from "./stage.ts";

/** Opens a process over an engine that tells of no changes, as over a server. */
function openProcess(db: Db): Db {
  const { dataVersion: _, ...engine } = engineOf(db);
  return connectDatabase(engine);
}

/** Stages the three sessions of an account, a process, a request to it that has read them, and another process. */
async function requestStage() {
  const stage = await ownedStage("session");
  const [own, other] = [openProcess(stage.db), openProcess(stage.db)];
  let reads = 0;
  let isLate = false;
  const request = forRequest(own, () => isLate);
  const list = async (db: Db): Promise<number> => {
    const where = { account_id: stage.owner };
    return (await listRows(db, stage.authority, "session", "latestOfAccount", where)).length;
  };
  assert.deepEqual([await list(request), await list(other)], [3, 3]);
  stage.lie = ({ act, query }) => {
    if (act === "select" && query.sql.includes("owner_state")) reads++;
    return Promise.resolve(undefined);
  };
  return {
    ...stage,
    own,
    other,
    request,
    reads: () => reads,
    beLate: () => void (isLate = true),
    find: (db: Db, id: number) => {
      const where = { account_id: stage.owner, id: stage.rows[id]!["id"] as string };
      return findRow(db, stage.authority, "session", "ofAccountById", where);
    },
    remove: (db: Db, id: number) =>
      transaction(db, (tx) => removeRow(tx, stage.authority, "session", stage.rows[id] as never)),
  };
}

describe("forRequest()", () => {
  test("reads the state of an owner once, and each request for itself", async () => {
    const { own, request, find, reads } = await requestStage();
    for (const id of [0, 1, 2]) assert.notEqual(await find(request, id), undefined);
    assert.equal(reads(), 0);
    await find(own, 0);
    assert.equal(reads(), 1);
    await find(forRequest(own, () => false), 0);
    assert.equal(reads(), 2);
  });

  test("reads it again once the request is late", async () => {
    const { request, beLate, find, reads } = await requestStage();
    beLate();
    await find(request, 0);
    await find(request, 0);
    assert.equal(reads(), 2);
  });

  test("finds what its own process changed", async () => {
    const { own, request, remove, find } = await requestStage();
    await remove(own, 0);
    assert.equal(await find(request, 0), undefined);
  });

  test("finds what its process has heard of another one", async () => {
    const { own, other, request, remove, find } = await requestStage();
    await remove(other, 0);
    await find(own, 1);
    assert.equal(await find(request, 0), undefined);
  });

  test("finds a row that another process deleted to be gone, and no fault", async () => {
    const { other, request, remove, find, authority } = await requestStage();
    await remove(other, 0);
    assert.equal(await find(request, 0), undefined);
    assert.deepEqual(authority.inconsistent, []);
  });

  test("reads the state again in a transaction", async () => {
    const { other, request, remove, reads, find } = await requestStage();
    await remove(other, 0);
    const before = reads();
    await transaction(request, async (tx) => {
      assert.equal(await find(tx, 0), undefined);
      assert.equal(reads(), before + 1);
    });
  });

  test("detects a row that the database hides, without another read of the state before", async () => {
    const { db, rows, request, find } = await requestStage();
    await db.deleteFrom("session").where("id", "=", rows[0]!["id"] as string).execute();
    await assert.rejects(find(request, 0), isInconsistent);
  });

  test("reads the states of two owners by one statement", async () => {
    const { own, other, authority, rows, find, reads } = await requestStage();
    const request = forRequest(own, () => false);
    const expected = [["account", { id: rows[0]!["account_id"] }], ["token_key", {}]] as const;
    await expectRows(request, authority, () => expected);
    await find(request, 0);
    await listRows(request, authority, "token_key", "all", {});
    await expectRows(request, authority, () => expected);
    assert.equal(reads(), 1);
    // A handle that serves no request keeps nothing.
    await expectRows(other, authority, () => expected);
    assert.equal(reads(), 1);
  });

  test("asks the database for no name that is no text of an id", async () => {
    const { own, authority, reads } = await requestStage();
    for (const id of ["a\0b", "\ud800", "", "x".repeat(601)]) {
      await expectRows(
        forRequest(own, () => false),
        authority,
        () => [["account", { id }]],
      );
    }
    assert.equal(reads(), 0);
  });

  test("returns the same handle for an engine that tells of changes", async () => {
    const { db } = await ownedStage("session");
    assert.equal(forRequest(db, () => false), db);
  });
});
