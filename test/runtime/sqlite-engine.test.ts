import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { sql } from "kysely";
import type { Kysely } from "kysely";
import { DatabaseError } from "../../src/db/error.ts";
import { connect } from "../../src/db/port.ts";
import { transaction } from "../../src/db/transaction.ts";
import { nodeConnection } from "../../src/runtime/sqlite-deno.ts";
import { createSqliteEngine } from "../../src/runtime/sqlite-engine.ts";
import { isDiskFailure } from "../../src/runtime/sqlite-error.ts";

/** SQLITE_IOERR_FSYNC under the name that each driver gives it, and a full disk. */
const FSYNC_FAILED = { errno: 1034, errcode: 1034 };
const DISK_FULL = { errno: 13, errcode: 13 };

/** A database whose next commit fails with this error, after which the disk would work again. */
function openFailing(error: Error): Kysely<unknown> {
  const connection = nodeConnection(new DatabaseSync(":memory:"));
  let failures = 1;
  return connect(createSqliteEngine({
    ...connection,
    execute: (query) => {
      if (query.sql === "commit" && failures-- > 0) throw error;
      return connection.execute(query);
    },
  }, { access: "write" }));
}

async function commitOnce(db: Kysely<unknown>): Promise<void> {
  await transaction(db, (tx) => sql`select 1`.execute(tx));
}

describe("createSqliteEngine()", () => {
  test("begins no transaction any more when an fsync failed, even if the disk would work again", async () => {
    for (const name of ["errno", "errcode"] as const) {
      const error = Object.assign(new Error("disk I/O error"), { [name]: FSYNC_FAILED[name] });
      const db = openFailing(error);
      await assert.rejects(commitOnce(db), (thrown) => thrown === error);
      await assert.rejects(commitOnce(db), (thrown) => {
        return thrown instanceof DatabaseError && thrown.code === "disk_failed" && thrown.cause === error;
      });
      assert.deepEqual((await sql`select 1 as x`.execute(db)).rows, [{ x: 1 }], "reading goes on");
      await db.destroy();
    }
  });

  test("goes on after a commit that failed for want of space", async () => {
    const error = Object.assign(new Error("database or disk is full"), DISK_FULL);
    const db = openFailing(error);
    await assert.rejects(commitOnce(db), (thrown) => thrown === error);
    await commitOnce(db);
    await db.destroy();
  });
});

describe("isDiskFailure()", () => {
  test("is true for every I/O error and for nothing else", () => {
    for (const errcode of [10, 266, 522, 778, 1034]) {
      assert.ok(isDiskFailure(Object.assign(new Error("disk I/O error"), { errcode })));
    }
    for (const errcode of [5, 11, 13, 19, 2067]) {
      assert.ok(!isDiskFailure(Object.assign(new Error("other"), { errcode })));
    }
    assert.ok(!isDiskFailure(new Error("disk I/O error")));
    assert.ok(!isDiskFailure(undefined));
  });
});
