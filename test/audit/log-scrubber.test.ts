import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { readCheckpoint, writeCheckpoint } from "../../src/audit/checkpoint.ts";
import { appendAudit } from "../../src/audit/log.ts";
import {
  createLogScrubber,
  startLogScrubber,
  verifyLogFromCheckpoint,
} from "../../src/audit/log-scrubber.ts";
import { acknowledgeRollback, recordFault } from "../../src/audit/rollback.ts";
import { watchOf } from "../../src/audit/log-head.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import { closeDatabase, connectDatabase, openDatabase } from "../../src/db/database.ts";
import type { Db, Tables } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { openSqlite } from "../../src/runtime/sqlite/open.ts";
import { dropLogTriggers, forgetLog, hideEdit } from "../support/audit.ts";
import { openTestDatabase } from "../support/database.ts";
import { inFolder } from "../support/folder.ts";
import { createTestVault } from "../support/vault.ts";

const vault = createTestVault();
const AT = 1_700_000_000_000;
const MINUTE = 60_000;

async function append(db: Db, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const event = { event: "signed_out", accountId: "acc_1", subject: "ses_1", detail: {} } as const;
    await transaction(db, (tx) => appendAudit(tx, vault, AT + time, event));
  }
}

async function logOf(length: number): Promise<Db> {
  const db = await openTestDatabase();
  await append(db, length);
  await dropLogTriggers(db);
  return db;
}

async function set(db: Db, seq: number, values: Partial<Tables["audit_event"]>): Promise<void> {
  await db.updateTable("audit_event").set(values).where("seq", "=", seq).execute();
}

/** Returns the reason and the entry of the fault that stopped recording. */
function faultOf(db: Db): readonly [string, number] | undefined {
  const { fault } = watchOf(db);
  return fault && [fault.reason, fault.entry];
}

/** Simulates a start of the process, without any cached state. */
async function start(db: Db): Promise<number> {
  forgetLog(db);
  return (await verifyLogFromCheckpoint(db, vault)).seq;
}

describe("verifyLogFromCheckpoint()", () => {
  test("verifies the log to its end, and the next time only newer entries", async () => {
    const db = await logOf(250);
    assert.equal(await start(db), 250);
    assert.equal((await readCheckpoint(db, vault)).seq, 250);
    // Earlier than the checkpoint, so that only the scrubber finds it.
    await set(db, 100, { at: 0 });
    await append(db, 3);
    assert.equal(await start(db), 253);
    assert.equal(faultOf(db), undefined);
    await db.destroy();
  });

  test("verifies nothing and stores no checkpoint for an empty log", async () => {
    const db = await openTestDatabase();
    assert.equal(await start(db), 0);
    assert.deepEqual(await db.selectFrom("audit_checkpoint").selectAll().execute(), []);
    await db.destroy();
  });

  test("stops at a changed entry after the checkpoint", async () => {
    const db = await logOf(5);
    await start(db);
    await append(db, 5);
    await set(db, 8, { subject: "ses_2" });
    assert.equal(await start(db), 7);
    assert.deepEqual(faultOf(db), ["altered", 8]);
    assert.equal((await readCheckpoint(db, vault)).seq, 5);
    await db.destroy();
  });

  test("stops when verified entries are missing or replaced", async () => {
    const db = await logOf(5);
    await start(db);
    await db.deleteFrom("audit_event").where("seq", ">", 3).execute();
    await start(db);
    assert.deepEqual(faultOf(db), ["cut", 5]);
    forgetLog(db);
    await assert.rejects(append(db, 1), /it ends before entry 5/);
    // A copy without the checkpoint was used.
    const [checkpoint] = await db.selectFrom("audit_checkpoint").selectAll().execute();
    await db.deleteFrom("audit_checkpoint").execute();
    forgetLog(db);
    await append(db, 3);
    await db.insertInto("audit_checkpoint").values(checkpoint!).execute();
    await start(db);
    assert.deepEqual(faultOf(db), ["replaced", 5]);
    await db.destroy();
  });

  test("ignores a forged checkpoint, and verifies everything", async () => {
    const db = await logOf(5);
    await start(db);
    await set(db, 2, { at: 0 });
    const [row] = await db.selectFrom("audit_event").selectAll().where("seq", "=", 4).execute();
    const forged = [
      { seq: 4, hash: row!.hash },
      // An entry's MAC is not valid for a checkpoint.
      { seq: 4, hash: row!.hash, mac: row!.mac },
      { seq: 7 },
      { hash: new Uint8Array(32) },
      { mac: new Uint8Array() },
    ];
    for (const change of forged) {
      forgetLog(db);
      await db.deleteFrom("audit_checkpoint").execute();
      await writeCheckpoint(db, vault, { seq: 5, hash: row!.hash, stateTags: new Uint8Array() });
      await db.updateTable("audit_checkpoint").set(change).execute();
      await start(db);
      assert.deepEqual(faultOf(db), ["altered", 2], JSON.stringify(Object.keys(change)));
    }
    await db.destroy();
  });

  test("stays stopped after a start until the operator acknowledges it, also if the log stays broken", async () => {
    const db = await logOf(5);
    await set(db, 3, { at: 0 });
    await start(db);
    await recordFault(db, vault, AT);
    await start(db);
    assert.deepEqual(faultOf(db), ["altered", 3]);
    await assert.rejects(append(db, 1), /entry 3 was altered/);
    await acknowledgeRollback(db, vault, { cause: "person", brokenAt: 3, now: AT });
    await append(db, 1);
    assert.equal(await start(db), 8);
    assert.equal(faultOf(db), undefined);
    await append(db, 1);
    await set(db, 9, { at: 0 });
    await start(db);
    assert.deepEqual(faultOf(db), ["altered", 9]);
    await db.destroy();
  });
});

describe("a fault that the operator acknowledged", () => {
  /** Creates eight entries with the sixth edited, and an acknowledgement as the ninth. */
  async function brokenLog(): Promise<Db> {
    const db = await logOf(8);
    await set(db, 6, { at: 0 });
    await acknowledgeRollback(db, vault, { cause: "person", brokenAt: 6, now: AT });
    return db;
  }

  test("is accepted unchanged, also by a verification of the whole log", async () => {
    const db = await brokenLog();
    await append(db, 1);
    assert.equal(await start(db), 10);
    assert.equal(faultOf(db), undefined);
    const { entries, fault, acceptedBreaks } = await verifyAudit(db, vault);
    assert.deepEqual([entries, fault, acceptedBreaks.map(({ from, to }) => [from, to])], [10, undefined, [[
      6,
      9,
    ]]]);
    const kept = { seq: 7, hash: new Uint8Array(32) };
    assert.equal((await verifyAudit(db, vault, { expectedHead: kept })).comparison, "unknown");
    await db.destroy();
  });

  test("is not accepted after another change: at a start, in the next pass and in a verification of the whole log", async () => {
    for (const seq of [5, 6, 7, 8]) {
      const db = await brokenLog();
      const clock = { now: AT };
      const scrubber = createLogScrubber(db, {
        vault,
        now: () => clock.now,
        from: await verifyLogFromCheckpoint(db, vault),
      });
      await scrubToEnd(scrubber);
      assert.equal(faultOf(db), undefined);
      await set(db, seq, seq === 5 ? { hash: new Uint8Array(32) } : { detail: "{}", at: 1 });
      clock.now += 10 * MINUTE;
      await scrubToEnd(scrubber);
      assert.deepEqual(faultOf(db), ["replaced", 6], String(seq));
      await db.deleteFrom("audit_checkpoint").execute();
      await start(db);
      assert.deepEqual(faultOf(db), seq === 5 ? ["altered", 5] : ["replaced", 6]);
      assert.equal((await verifyAudit(db, vault)).fault?.seq, seq === 5 ? 5 : 6);
      await db.destroy();
    }
  });

  test("does not cover entries of another history before it", async () => {
    const db = await brokenLog();
    for (const seq of [4, 5, 6, 7]) await db.deleteFrom("audit_event").where("seq", "=", seq).execute();
    await db.deleteFrom("audit_checkpoint").execute();
    await start(db);
    assert.deepEqual(faultOf(db), ["missing", 4]);
    assert.deepEqual((await verifyAudit(db, vault)).fault, { seq: 4, kind: "missing" });
    await db.destroy();
  });
});

/** Runs steps until no work is left. */
async function scrubToEnd(scrubber: ReturnType<typeof createLogScrubber>): Promise<void> {
  while (await scrubber.step() === "more");
}

describe("createLogScrubber()", () => {
  test("verifies new entries, and stores its checkpoint at most once a minute", async () => {
    const db = await logOf(5);
    const clock = { now: AT };
    const scrubber = createLogScrubber(db, {
      vault,
      now: () => clock.now,
      from: await verifyLogFromCheckpoint(db, vault),
    });
    await append(db, 300);
    await scrubToEnd(scrubber);
    assert.equal((await readCheckpoint(db, vault)).seq, 5);
    clock.now += MINUTE;
    await scrubToEnd(scrubber);
    assert.equal((await readCheckpoint(db, vault)).seq, 305);
    await append(db, 2);
    await set(db, 306, { account_id: "acc_2" });
    await scrubToEnd(scrubber);
    assert.deepEqual(faultOf(db), ["altered", 306]);
    await db.destroy();
  });

  test("finds in its next pass an entry edited long ago", async () => {
    const db = await logOf(250);
    const clock = { now: AT };
    const scrubber = createLogScrubber(db, {
      vault,
      now: () => clock.now,
      from: await verifyLogFromCheckpoint(db, vault),
    });
    await scrubToEnd(scrubber);
    await set(db, 7, { hash: new Uint8Array(32) });
    await scrubToEnd(scrubber);
    assert.equal(faultOf(db), undefined);
    clock.now += 10 * MINUTE;
    await scrubToEnd(scrubber);
    assert.deepEqual(faultOf(db), ["altered", 7]);
    await scrubToEnd(scrubber);
    const [notice] = await db.selectFrom("audit_event").selectAll().where("seq", "=", 251).execute();
    assert.equal(notice!.detail, '{"entry":7,"issuedAt":null,"reason":"altered"}');
    await db.destroy();
  });

  test("stops for a fault that another process found, and continues in both after the acknowledgement", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "a.db");
      const dbs = [
        await openDatabase(await openSqlite(path)),
        connectDatabase(await openSqlite(path)),
        connectDatabase(await openSqlite(path)),
      ] as const;
      const [one, two, person] = dbs;
      await append(one, 5);
      const scrubbers = [];
      for (const db of [one, two]) {
        scrubbers.push(
          createLogScrubber(db, { vault, now: () => AT, from: await verifyLogFromCheckpoint(db, vault) }),
        );
      }
      await dropLogTriggers(person);
      await hideEdit(...dbs);
      await append(one, 2);
      await one.deleteFrom("audit_event").where("seq", ">", 5).execute();
      for (const scrubber of scrubbers) await scrubToEnd(scrubber);
      assert.deepEqual([faultOf(one), faultOf(two)], [["cut", 7], ["cut", 7]]);
      await acknowledgeRollback(person, vault, { cause: "person", brokenAt: null, now: AT });
      for (const scrubber of scrubbers) await scrubToEnd(scrubber);
      assert.deepEqual([faultOf(one), faultOf(two)], [undefined, undefined]);
      for (const db of [one, two, one]) await append(db, 1);
      for (const scrubber of scrubbers) await scrubToEnd(scrubber);
      assert.deepEqual([faultOf(one), faultOf(two)], [undefined, undefined]);
      for (const db of dbs) await closeDatabase(db);
    });
  });

  test("detects a restored log although no entry is appended", async () => {
    const db = await logOf(5);
    const scrubber = createLogScrubber(db, {
      vault,
      now: () => AT,
      from: await verifyLogFromCheckpoint(db, vault),
    });
    await db.deleteFrom("audit_event").where("seq", "=", 5).execute();
    await scrubber.step();
    assert.deepEqual(faultOf(db), ["cut", 5]);
    await db.destroy();
  });
});

describe("startLogScrubber()", () => {
  test("pauses for more than a hundred times as long as it works", async () => {
    const rounds = { count: 0, time: 0 };
    const step = (): Promise<"more"> => {
      rounds.count++;
      rounds.time += 2;
      return Promise.resolve("more");
    };
    const end = startLogScrubber({ step }, { stopwatch: () => rounds.time, log: () => {} });
    const begun = performance.now();
    await delay(700);
    await end();
    const most = (performance.now() - begun) / 200 + 1;
    assert.ok(rounds.count >= 1 && rounds.count <= most, `${rounds.count} rounds, at most ${most}`);
    const { count } = rounds;
    await delay(300);
    assert.equal(rounds.count, count);
  });

  test("continues after a failed step, and logs it", async () => {
    const logged: string[] = [];
    const step = (): Promise<never> => Promise.reject(new Error("The disk is gone"));
    const end = startLogScrubber({ step }, {
      stopwatch: () => 0,
      log: (_level, event) => logged.push(event),
    });
    await end();
    assert.deepEqual(logged, ["audit_patrol_failed"]);
  });
});
