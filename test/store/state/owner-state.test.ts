import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { atCommit, transaction } from "../../../src/db/transaction.ts";
import {
  findState,
  forgetStates,
  type OwnerState,
  prepareState,
} from "../../../src/store/state/owner-state.ts";
import { findRow, listRows } from "../../../src/store/read.ts";
import { removeRow, replaceRow } from "../../../src/store/write.ts";
import { isInconsistent, openSecondHandle } from "../../support/state.ts";
import { ownedStage } from "./stage.ts";
import type { OwnedStage } from "./stage.ts";

/** Stages a session that this process changes during a query, as can happen with several connections. */
async function changingStage() {
  const stage = await ownedStage("session");
  const { db, authority, rows: [row] } = stage;
  let present = row as never as { expires_at: number };
  let queries = 0;
  return Object.assign(stage, {
    queries: () => queries,
    /** Changes it during the given number of queries. After that the present row is found, or an old one. */
    change: (times: number, after: "present" | "restored"): void => {
      stage.lie = async ({ act, table, carryOut }) => {
        if (act !== "select" || table !== "session") return undefined;
        const rows = await carryOut();
        if (++queries > times) return after === "restored" ? [row!] : undefined;
        const { lie } = stage;
        stage.lie = undefined;
        const later = { expires_at: present.expires_at + 1 };
        present = await transaction(
          db,
          (tx) => replaceRow(tx, authority, "session", present as never, later),
        );
        stage.lie = lie;
        return rows;
      };
    },
  });
}

describe("findRow() whose query runs while this process changes a row with a state", () => {
  const find = ({ db, authority, rows: [row] }: OwnedStage) =>
    findRow(db, authority, "session", "byId", { id: row!["id"] as string });

  for (const times of [1, 2, 5]) {
    test(`queries again after each of ${times} changes, and returns the current row`, async () => {
      const stage = await changingStage();
      stage.change(times, "present");
      assert.equal((await find(stage))?.expires_at, Number(stage.rows[0]!["expires_at"]) + times);
      assert.deepEqual([stage.queries(), stage.authority.inconsistent], [times + 1, []]);
    });
  }

  test("throws conflict after twenty queries, and reports no inconsistency", async () => {
    const stage = await changingStage();
    stage.change(Infinity, "present");
    await assert.rejects(find(stage), { code: "conflict" });
    assert.deepEqual([stage.queries(), stage.authority.inconsistent], [20, []]);
  });

  test("refuses an earlier row that is found three times while nothing else changes", async () => {
    const stage = await changingStage();
    stage.change(1, "restored");
    await assert.rejects(find(stage), isInconsistent);
    assert.deepEqual(stage.authority.inconsistent, [{ owner: stage.owner, kind: "session" }]);
    assert.equal(stage.queries(), 3);
  });
});

describe("a database that answers a query of a state", () => {
  for (const hasMemory of [true, false]) {
    test(`with the state of another owner, is refused, ${hasMemory ? "with" : "without"} memory`, async () => {
      const stage = await ownedStage("identity");
      const db = hasMemory ? stage.db : openSecondHandle(stage.db);
      const list = (of: string) => listRows(db, stage.authority, "identity", "ofAccount", { account_id: of });
      const other = await stage.db.selectFrom("owner_state").selectAll().where("owner", "!=", stage.owner)
        .executeTakeFirstOrThrow();
      stage.lie = async ({ query, carryOut }) =>
        query.sql.includes("owner_state")
          ? (await carryOut()).map((row) => ({ ...row, ...other }))
          : undefined;
      await assert.rejects(list(stage.owner), { code: "wrong_row" });
      await assert.rejects(list("acc_without_rows"), { code: "wrong_row" });
    });

    test(`with a lower end of the log, ${hasMemory ? "changes nothing" : "is refused by a new process"}`, async () => {
      const stage = await ownedStage("identity");
      const db = hasMemory ? stage.db : openSecondHandle(stage.db);
      const list = () => listRows(db, stage.authority, "identity", "ofAccount", { account_id: stage.owner });
      stage.lie = async ({ query, carryOut }) =>
        query.sql.includes("owner_state")
          ? (await carryOut()).map((row) => ({ ...row, log_end: 0 }))
          : undefined;
      if (hasMemory) assert.deepEqual(await list(), stage.rows);
      else await assert.rejects(list(), isInconsistent);
    });
  }
});

describe("a process that knows the data version", () => {
  /** Counts the queries of states. */
  async function countingStage() {
    const stage = await ownedStage("identity");
    const queries = { count: 0 };
    stage.dataVersion = 1;
    stage.lie = ({ query }) => {
      if (query.sql.includes("owner_state") && query.sql.startsWith("select")) queries.count++;
      return Promise.resolve(undefined);
    };
    const ids = async () =>
      (await listRows(stage.db, stage.authority, "identity", "ofAccount", { account_id: stage.owner }))
        .map(({ id }) => id);
    return Object.assign(stage, { ids, queries });
  }

  const ALL = ["id 0", "id 1", "id 2"];

  test("asks for a state again only after another connection has written", async () => {
    const stage = await countingStage();
    for (const [dataVersion, count] of [[1, 1], [1, 1], [2, 2], [2, 2], [1, 3]] as const) {
      stage.dataVersion = dataVersion;
      assert.deepEqual(await stage.ids(), ALL);
      assert.equal(stage.queries.count, count);
    }
    stage.dataVersion = undefined;
    for (const count of [4, 5]) {
      assert.deepEqual(await stage.ids(), ALL);
      assert.equal(stage.queries.count, count);
    }
  });

  test("has at most 30,000 states in memory, and clears them for the next one", async () => {
    const stage = await ownedStage("identity");
    stage.dataVersion = 1;
    const { db } = stage;
    const states = Array.from({ length: 30_001 }, (_, index): OwnerState => {
      return { owner: `acc_${index}`, kinds: [], version: 0, sets: new Uint8Array(), mac: undefined };
    });
    const countKnown = () => states.filter(({ owner }) => findState(db, owner) !== undefined).length;
    forgetStates(db);
    for (const state of states.slice(1)) prepareState(db, state)();
    assert.equal(countKnown(), 30_000);
    prepareState(db, states[0]!)();
    assert.deepEqual([countKnown(), findState(db, "acc_0")], [1, states[0]]);
  });

  test("knows its own commits, and nothing that was rolled back", async () => {
    const stage = await countingStage();
    const { db, authority, rows: [row] } = stage;
    await stage.ids();
    await assert.rejects(
      transaction(db, async (tx) => {
        await removeRow(tx, authority, "identity", row as never);
        throw new Error("It was rolled back");
      }),
      /It was rolled back/,
    );
    assert.deepEqual(await stage.ids(), ALL);
    await transaction(db, (tx) => removeRow(tx, authority, "identity", row as never));
    assert.deepEqual(await stage.ids(), ALL.slice(1));
    assert.equal(stage.queries.count, 1);
    stage.dataVersion = 2;
    assert.deepEqual(await stage.ids(), ALL.slice(1));
  });

  test("asks for a state again if another connection wrote between its commit or query and the next step", async () => {
    const stage = await countingStage();
    const { db, authority, rows: [row], queries } = stage;
    await stage.ids();
    await transaction(db, async (tx) => {
      const writes = (): void => void (stage.dataVersion = 2);
      atCommit(tx, Symbol("another connection"), { before: () => Promise.resolve(), after: writes });
      await removeRow(tx, authority, "identity", row as never);
    });
    assert.equal(queries.count, 1);
    const { lie } = stage;
    stage.lie = async (statement) => {
      await lie!(statement);
      const rows = await statement.carryOut();
      if (statement.query.sql.includes("owner_state")) stage.dataVersion = queries.count + 1;
      return rows;
    };
    for (const count of [2, 3]) {
      assert.deepEqual(await stage.ids(), ALL.slice(1));
      assert.equal(queries.count, count);
    }
  });

  test("refuses a state that another connection restored, also in a transaction", async () => {
    const stage = await countingStage();
    const { db, authority, owner, rows: [row] } = stage;
    const before = await db.selectFrom("owner_state").selectAll().where("owner", "=", owner)
      .executeTakeFirstOrThrow();
    await transaction(db, (tx) => removeRow(tx, authority, "identity", row as never));
    await db.updateTable("owner_state").set(before).where("owner", "=", owner).execute();
    stage.dataVersion = 2;
    await assert.rejects(stage.ids(), isInconsistent);
    const where = { account_id: owner };
    await assert.rejects(
      transaction(db, (tx) => listRows(tx, authority, "identity", "ofAccount", where)),
      isInconsistent,
    );
  });

  test("does not write over a state that another connection changed", async () => {
    const stage = await countingStage();
    const { db, authority, owner, rows: [row] } = stage;
    await stage.ids();
    await db.updateTable("owner_state").set({ mac: new Uint8Array(32) }).where("owner", "=", owner).execute();
    const removed = transaction(db, (tx) => removeRow(tx, authority, "identity", row as never));
    await assert.rejects(removed, { code: "conflict" });
  });
});
