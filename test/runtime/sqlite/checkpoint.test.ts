import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { connect } from "../../../src/db/port.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { openSqlite } from "../../../src/runtime/sqlite/open.ts";
import { createCheckpoints } from "../../../src/runtime/sqlite/checkpoint.ts";
import { openFailing, sqliteError } from "../../support/failing-engine.ts";
import { inFolder } from "../../support/folder.ts";

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Fulfils once the count has reached `least`. */
async function reaches(count: () => number, least: number): Promise<void> {
  while (count() < least) await sleep(5);
}

/** Returns a log of that many pages that does not grow, and is empty after a merge. */
function logOf(pages: number) {
  /** The number of merges at each check. */
  const looks: number[] = [];
  const log = { waiting: pages, merged: 0 };
  const checkpoints = createCheckpoints({
    waitingPages: () => {
      looks.push(log.merged);
      return Promise.resolve(log.waiting);
    },
    merge: () => {
      log.merged++;
      log.waiting = 0;
      return Promise.resolve();
    },
    run: () => Promise.resolve(),
  });
  return { log, looks, checkpoints, looked: (times: number) => reaches(() => looks.length, times) };
}

// Makes two commits without a pause, so that the first check always finds a later one.

describe("createCheckpoints()", () => {
  test("merges a long log in the first pause, and not before", async () => {
    const { log, looks, checkpoints, looked } = logOf(300);
    checkpoints.committed();
    checkpoints.committed();
    await looked(2);
    assert.deepEqual([looks, log.merged], [[0, 0], 1]);
    await sleep(50);
    assert.deepEqual([looks, log.merged], [[0, 0], 1]);
  });

  test("does not merge a short log", async () => {
    const { log, checkpoints, looked } = logOf(200);
    checkpoints.committed();
    await looked(1);
    assert.equal(log.merged, 0);
  });

  test("merges a long log during further commits", async () => {
    const { log, looks, checkpoints, looked } = logOf(500);
    checkpoints.committed();
    checkpoints.committed();
    await looked(2);
    assert.deepEqual([looks, log.merged], [[0, 1], 1]);
  });

  test("continues after a failed merge, and stops on request", async () => {
    let attempts = 0;
    const { committed, stop } = createCheckpoints({
      waitingPages: () => Promise.resolve(300),
      merge: () => Promise.reject(new Error(`No ${++attempts}`)),
      run: () => Promise.resolve(),
    });
    committed();
    await reaches(() => attempts, 1);
    committed();
    await reaches(() => attempts, 2);
    committed();
    stop();
    committed();
    await sleep(100);
    assert.equal(attempts, 2);
  });

  test("releases cached pages while there are no commits, also after a failure, until it is stopped", async () => {
    const released: string[] = [];
    const { committed, stop } = createCheckpoints({
      waitingPages: () => Promise.resolve(0),
      merge: () => Promise.resolve(),
      run: ({ sql }) => Promise.reject(new Error(`No ${released.push(sql)}`)),
    }, 100);
    const commits = setInterval(committed, 10);
    await sleep(250);
    assert.deepEqual(released, []);
    clearInterval(commits);
    await reaches(() => released.length, 2);
    stop();
    const before = released.length;
    await sleep(150);
    assert.deepEqual(released, Array(before).fill("pragma shrink_memory"));
  });
});

/** Returns the length of the content of a database copy, or undefined if the copy is incomplete. */
function lengthIn(path: string): unknown {
  const copy = new DatabaseSync(path);
  try {
    return copy.prepare("select length(content) as n from thing").get()?.["n"];
  } catch {
    return undefined;
  } finally {
    copy.close();
  }
}

describe("an engine", () => {
  test("merges its log in a pause, so that the database file is complete", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      const db = connect<unknown>(await openSqlite(path));
      await sql`create table thing (content blob)`.execute(db);
      await transaction(db, (tx) => sql`insert into thing values (zeroblob(${2_000_000}))`.execute(tx));
      for (let copies = 0;; copies++) {
        const copy = join(folder, `copy-${copies}.db`);
        copyFileSync(path, copy);
        if (lengthIn(copy) === 2_000_000) break;
        await sleep(50);
      }
      await db.destroy();
    });
  });

  test("detects a disk fault during a merge of the log", async () => {
    const engine = openFailing(({ sql }) => sql.includes("passive") ? sqliteError(1034) : undefined);
    await assert.rejects(engine.checkpoint(), { code: "disk_failed" });
    assert.equal(engine.health.fault()?.code, "disk_failed");
  });
});
