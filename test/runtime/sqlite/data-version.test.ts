import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CompiledQuery, type QueryResult } from "kysely";
import { setImmediate as nextEvent } from "node:timers/promises";
import type { SqliteConnection } from "../../../src/runtime/sqlite/connection.ts";
import { createSqliteEngine } from "../../../src/runtime/sqlite/engine.ts";

/** A connection beside which another process commits before each statement. */
function openBusy() {
  const state = { version: 0, reads: 0, isInside: false };
  const connection: SqliteConnection = {
    execute<R>({ sql }: CompiledQuery): Promise<QueryResult<R>> {
      if (/^(?:commit|rollback)/.test(sql)) state.isInside = false;
      if (!state.isInside) state.version++;
      if (sql.startsWith("begin")) state.isInside = true;
      return Promise.resolve({ rows: [] });
    },
    inTransaction: () => state.isInside,
    dataVersion() {
      state.reads++;
      return state.version;
    },
    close() {},
  };
  const engine = createSqliteEngine(connection, { access: "write" });
  return { state, engine, dataVersion: engine.dataVersion! };
}

const WRITE = CompiledQuery.raw("delete from account");

describe("dataVersion()", () => {
  test("is read once before the next event, and again after it", async () => {
    const { state, dataVersion } = openBusy();
    assert.deepEqual([dataVersion(), dataVersion(), state.reads], [0, 0, 1]);
    state.version = 5;
    await nextEvent();
    assert.equal(dataVersion(), 5);
  });

  for (const outcome of ["committed", "rolled back"] as const) {
    test(`is read once in a transaction, after it began, and again after it was ${outcome}`, async () => {
      const { state, engine, dataVersion } = openBusy();
      assert.equal(dataVersion(), 0);
      const seen: number[] = [];
      await engine.transaction(async (run) => {
        for (let count = 0; count < 3; count++) {
          seen.push(dataVersion());
          await run(WRITE);
        }
        if (outcome === "rolled back") throw new Error("It was rolled back");
      }).catch((error: Error) => assert.match(error.message, /It was rolled back/));
      assert.deepEqual([seen, state.reads], [[1, 1, 1], 2]);
      assert.equal(dataVersion(), 2);
      await engine.close();
    });
  }
});
