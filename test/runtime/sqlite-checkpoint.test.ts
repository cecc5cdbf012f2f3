import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { connect } from "../../src/db/port.ts";
import { transaction } from "../../src/db/transaction.ts";
import { openSqlite } from "../../src/runtime/sqlite.ts";
import { createCheckpoints } from "../../src/runtime/sqlite-checkpoint.ts";
import { openFailing, sqliteError } from "../support/failing-engine.ts";
import { inFolder } from "../support/folder.ts";

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A log of so many pages, which grows no more and is empty after it was merged. */
function logOf(pages: number) {
  const log = { waiting: pages, merged: 0 };
  const checkpoints = createCheckpoints({
    waitingPages: () => Promise.resolve(log.waiting),
    merge: () => {
      log.merged++;
      log.waiting = 0;
      return Promise.resolve();
    },
  });
  return { log, checkpoints };
}

/** Commits again and again, without a pause that is worth the name. */
async function keepBusy(committed: () => void, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    committed();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("createCheckpoints()", () => {
  test("merges what is worth it in the first pause, and not before", async () => {
    const { log, checkpoints } = logOf(300);
    await keepBusy(checkpoints.committed, 60);
    assert.equal(log.merged, 0);
    await sleep(100);
    assert.equal(log.merged, 1);
    await sleep(50);
    assert.equal(log.merged, 1);
  });

  test("leaves a little for later", async () => {
    const { log, checkpoints } = logOf(200);
    checkpoints.committed();
    await sleep(100);
    assert.equal(log.merged, 0);
  });

  test("merges a long log while commits go on", async () => {
    const { log, checkpoints } = logOf(500);
    await keepBusy(checkpoints.committed, 100);
    assert.equal(log.merged, 1);
    checkpoints.stop();
  });

  test("goes on after a merge that failed, and does nothing once it is stopped", async () => {
    let attempts = 0;
    const { committed, stop } = createCheckpoints({
      waitingPages: () => Promise.resolve(300),
      merge: () => Promise.reject(new Error(`No ${++attempts}`)),
    });
    committed();
    await sleep(100);
    committed();
    await sleep(100);
    assert.equal(attempts, 2);
    committed();
    stop();
    committed();
    await sleep(100);
    assert.equal(attempts, 2);
  });
});

describe("an engine", () => {
  test("has its log merged in a pause, so that the database alone holds everything", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      const db = connect<unknown>(await openSqlite(path));
      await sql`create table thing (content blob)`.execute(db);
      await transaction(db, (tx) => sql`insert into thing values (zeroblob(${2_000_000}))`.execute(tx));
      await sleep(200);
      copyFileSync(path, join(folder, "copy.db"));
      const copy = new DatabaseSync(join(folder, "copy.db"));
      assert.equal(copy.prepare("select length(content) as n from thing").get()?.["n"], 2_000_000);
      copy.close();
      await db.destroy();
    });
  });

  test("knows of a disk that failed while the log was merged", async () => {
    const engine = openFailing(({ sql }) => sql.includes("passive") ? sqliteError(1034) : undefined);
    await assert.rejects(engine.checkpoint());
    assert.equal(engine.health.fault()?.code, "disk_failed");
  });
});
