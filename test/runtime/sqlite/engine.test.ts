import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import type { Kysely } from "kysely";
import { checkDatabase, watchHealth } from "../../../src/db/integrity-check.ts";
import { DatabaseError } from "../../../src/db/error.ts";
import type { DatabaseErrorCode } from "../../../src/db/error.ts";
import { connect } from "../../../src/db/port.ts";
import type { Db, Tables } from "../../../src/db/schema/schema.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { explain } from "../../../src/runtime/sqlite/error.ts";
import { openFailing, sqliteError } from "../../support/failing-engine.ts";

const FSYNC_FAILED = 1034;
const WRITE_FAILED = 778;
const DISK_FULL = 13;
const NO_SPACE_FOR_INDEX = 4874;

function isCode(code: DatabaseErrorCode): (thrown: unknown) => boolean {
  return (thrown) => thrown instanceof DatabaseError && thrown.code === code;
}

async function commitOnce<T>(db: Kysely<T>): Promise<void> {
  await transaction(db, (tx) => sql`select 1`.execute(tx));
}

/** Collects the codes that a database's health monitor reports. */
function faultsOf(db: Db): string[] {
  const faults: string[] = [];
  watchHealth(db, (fault) => faults.push(fault?.code ?? "none"));
  return faults;
}

/** Returns a database in which this statement fails with this error that many times. */
function failingAt(statement: string, error: Error, times = Infinity): Db {
  let left = times;
  return connect<Tables>(openFailing((query) => query.sql === statement && left-- > 0 ? error : undefined));
}

describe("an engine whose disk failed", () => {
  for (const name of ["errno", "errcode"] as const) {
    test(`starts no transaction, even if the disk works again (${name})`, async () => {
      const error = sqliteError(FSYNC_FAILED, name);
      const db = failingAt("commit", error, 1);
      const faults = faultsOf(db);
      await assert.rejects(commitOnce(db), (thrown) => {
        return isCode("disk_failed")(thrown) && (thrown as Error).cause === error;
      });
      await assert.rejects(commitOnce(db), isCode("disk_failed"));
      await assert.rejects(checkDatabase(db), isCode("disk_failed"));
      assert.deepEqual((await sql`select 1 as x`.execute(db)).rows, [{ x: 1 }], "reading goes on");
      assert.deepEqual(faults, ["disk_failed"]);
      const late = faultsOf(db);
      assert.deepEqual(late, ["disk_failed"], "who listens later hears of it too");
    });
  }

  const ownError = (error: unknown): boolean => error instanceof RangeError;
  for (
    const [statement, expected] of [
      ["begin immediate", isCode("disk_failed")],
      ["insert into a values (1)", isCode("disk_failed")],
      ["rollback", ownError],
      ["pragma wal_checkpoint(passive)", ownError],
    ] as const
  ) {
    test(`detects it from ${statement} too`, async () => {
      let isBroken = false;
      const engine = openFailing(({ sql }) =>
        isBroken && sql === statement ? sqliteError(WRITE_FAILED) : undefined
      );
      const db = connect<Tables>(engine);
      await sql`create table a (x)`.execute(db);
      const faults = faultsOf(db);
      isBroken = true;
      await assert.rejects(
        transaction(db, async (tx) => {
          await sql`insert into a values (1)`.execute(tx);
          throw new RangeError("No");
        }),
        expected,
      );
      await engine.checkpoint().catch(() => {});
      assert.deepEqual(faults, ["disk_failed"]);
      await assert.rejects(commitOnce(db), isCode("disk_failed"));
    });
  }

  test("rejects only the read that failed, and still writes", async () => {
    const db = failingAt("select 7", sqliteError(FSYNC_FAILED), 1);
    const faults = faultsOf(db);
    await assert.rejects(sql`select 7`.execute(db), isCode("read_failed"));
    await commitOnce(db);
    await checkDatabase(db);
    assert.deepEqual(faults, []);
    await db.destroy();
  });
});

describe("an engine that stopped writing", () => {
  test("does not merge its log either, because failed writes could overwrite good pages", async () => {
    const ran: string[] = [];
    const engine = openFailing(({ sql }) => {
      ran.push(sql);
      return sql === "commit" ? sqliteError(FSYNC_FAILED) : undefined;
    });
    await assert.rejects(commitOnce(connect(engine)), isCode("disk_failed"));
    await assert.rejects(engine.checkpoint(), isCode("disk_failed"));
    assert.ok(!ran.some((sql) => sql.includes("wal_checkpoint(passive)")));
  });
});

describe("an engine whose disk is full", () => {
  for (const code of [DISK_FULL, NO_SPACE_FOR_INDEX]) {
    test(`retries at each transaction, and recovers once a page can be written (${code})`, async () => {
      let isFull = true;
      const db = connect<Tables>(
        openFailing(({ sql }) => isFull && sql === "commit" ? sqliteError(code) : undefined),
      );
      const faults = faultsOf(db);
      await assert.rejects(commitOnce(db), isCode("disk_full"));
      await assert.rejects(commitOnce(db), isCode("disk_full"));
      await assert.rejects(checkDatabase(db), isCode("disk_full"));
      assert.deepEqual(faults, ["disk_full"], "told once");
      isFull = false;
      await commitOnce(db);
      await new Promise((resolve) => setTimeout(resolve, 1100));
      await checkDatabase(db);
      assert.deepEqual(faults, ["disk_full", "none"]);
      await db.destroy();
    });
  }

  test("writes at most a page a second to test for space", async () => {
    let commits = 0;
    const db = connect<Tables>(
      openFailing(({ sql }) => sql === "commit" && ++commits > 0 ? sqliteError(DISK_FULL) : undefined),
    );
    await assert.rejects(commitOnce(db), isCode("disk_full"));
    const begun = performance.now();
    for (let count = 0; count < 20; count++) await assert.rejects(checkDatabase(db), isCode("disk_full"));
    const most = 2 + Math.floor((performance.now() - begun) / 1000);
    assert.ok(commits >= 2 && commits <= most, `${commits} of at most ${most}`);
    await db.destroy();
  });
});

describe("an engine whose files were replaced", () => {
  for (const look of ["replaced", "log_missing"] as const) {
    test(`acknowledges no commit, and starts no transaction (${look})`, async () => {
      let found: "same" | typeof look = "same";
      const db = connect<Tables>(openFailing(() => undefined, { lookAtFiles: () => found }));
      await commitOnce(db);
      found = look;
      const faults = faultsOf(db);
      await assert.rejects(commitOnce(db), isCode("files_replaced"));
      found = "same";
      await assert.rejects(commitOnce(db), isCode("files_replaced"));
      assert.deepEqual(faults, ["files_replaced"]);
    });
  }
});

describe("explain()", () => {
  const MEANINGS: readonly (readonly [DatabaseErrorCode, codes: readonly number[]])[] = [
    ["busy", [5, 261, 517, 773]],
    ["disk_failed", [10, 266, 522, 778, 1034, 8, 264, 14, 526]],
    ["disk_full", [13, 4874]],
    ["damaged", [11, 267, 523, 26]],
    ["files_replaced", [1032]],
  ];
  for (const [meaning, codes] of MEANINGS) {
    test(`maps ${codes.join(", ")} to ${meaning}`, () => {
      for (const code of codes) assert.equal(explain(sqliteError(code))?.code, meaning);
    });
  }

  test("returns undefined for anything else", () => {
    for (const code of [1, 6, 19, 2067, 1555, 3091]) assert.equal(explain(sqliteError(code)), undefined);
    assert.equal(explain(new Error("disk I/O error")), undefined);
    assert.equal(explain(undefined), undefined);
  });
});
