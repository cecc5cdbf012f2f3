import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { readCheckpoint } from "../../src/audit/checkpoint.ts";
import { followStates, readAhead } from "../../src/audit/follow-states.ts";
import { createLogScrubber, verifyLogFromCheckpoint } from "../../src/audit/log-scrubber.ts";
import { appendAudit } from "../../src/audit/log.ts";
import { watchOf } from "../../src/audit/log-head.ts";
import { acknowledgeRollback, recordFault } from "../../src/audit/rollback.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { forgetAccount } from "../../src/store/delete-account-rows.ts";
import { listRows } from "../../src/store/read.ts";
import { createStateTags, stateTagsOf } from "../../src/store/state/state-tags.ts";
import { consumeRow, insertRow } from "../../src/store/write.ts";
import { dropLogTriggers } from "../support/audit.ts";
import { openTestDatabase } from "../support/database.ts";
import { isInconsistent, openSecondHandle } from "../support/state.ts";
import { createTestAuthority, createTestVault } from "../support/vault.ts";

const vault = createTestVault();
const authority = createTestAuthority(vault);
const AT = 1_700_000_000_000;
const MINUTE = 60_000;

async function addIdentity(db: Db, id: string, accountId: string): Promise<void> {
  const identity = { id, issuer: "https://id.example", subject: id, account_id: accountId, created_at: 1 };
  await insertRow(db, authority, "identity", identity);
}

async function idsOf(db: Db, accountId: string): Promise<readonly string[]> {
  const rows = await listRows(db, authority, "identity", "ofAccount", { account_id: accountId });
  return rows.map(({ id }) => id);
}

/** Opens a database whose log names the states of four accounts. */
async function openWithStates(): Promise<Db> {
  const db = await openTestDatabase();
  await sql`pragma foreign_keys = off`.execute(db);
  for (const account of [1, 2, 3, 4]) await addIdentity(db, `one_${account}`, `acc_${account}`);
  await dropLogTriggers(db);
  return db;
}

async function macsIn(db: Db): Promise<ReadonlyMap<string, Uint8Array>> {
  const rows = await db.selectFrom("owner_state").selectAll().execute();
  return new Map(rows.map(({ owner, mac }) => [owner, mac.subarray(0, 12)]));
}

/** Asserts that a process knows exactly the states in the database as the newest. */
async function assertNewest(db: Db): Promise<void> {
  const { table } = stateTagsOf(db);
  const macs = await macsIn(db);
  assert.equal(table.size, macs.size);
  for (const [owner, tag] of macs) assert.deepEqual(table.find(owner), tag, owner);
}

/** Starts a process, which reads the log from its checkpoint. */
async function start(db: Db): Promise<Db> {
  const started = openSecondHandle(db);
  await verifyLogFromCheckpoint(started, vault);
  return started;
}

describe("verifyLogFromCheckpoint()", () => {
  test("saves the newest states, and a start continues with them", async () => {
    const db = await openWithStates();
    await assertNewest(await start(db));
    const { seq, stateTags } = await readCheckpoint(db, vault);
    assert.deepEqual([seq, createStateTags(stateTags).size], [4, 4]);
    // Only the checkpoint has the states of these entries now, as only a pass through the whole log would notice.
    await db.updateTable("audit_event").set({ state: new Uint8Array(12) }).where("seq", "<", 4).execute();
    await addIdentity(db, "two", "acc_2");
    await addIdentity(db, "five", "acc_5");
    const started = await start(db);
    assert.equal(watchOf(started).fault, undefined);
    await assertNewest(started);
    assert.deepEqual(await idsOf(started, "acc_2"), ["one_2", "two"]);
  });

  for (
    const [title, edit] of [
      ["with other states", { state_tags: new Uint8Array(80) }],
      ["without states", { state_tags: new Uint8Array() }],
      ["with the number of another entry", { seq: 3 }],
      ["with another MAC", { mac: new Uint8Array(32) }],
    ] as const
  ) {
    test(`ignores a checkpoint ${title}, and reads all states from the log`, async () => {
      const db = await openWithStates();
      await start(db);
      await db.updateTable("audit_checkpoint").set(edit).execute();
      await assertNewest(await start(db));
    });
  }

  test("reads the newer states after an older checkpoint that was restored", async () => {
    const db = await openWithStates();
    await start(db);
    const [older] = await db.selectFrom("audit_checkpoint").selectAll().execute();
    const [state] = await db.selectFrom("owner_state").selectAll().where("owner", "=", "acc_1").execute();
    await transaction(db, (tx) => consumeRow(tx, authority, "identity", "byId", { id: "one_1" }));
    await start(db);
    await db.updateTable("audit_checkpoint").set(older!).execute();
    const started = await start(db);
    await assertNewest(started);
    // The state of then is refused.
    await db.updateTable("owner_state").set(state!).where("owner", "=", "acc_1").execute();
    await assert.rejects(idsOf(await start(db), "acc_1"), isInconsistent);
  });

  test("stops at an entry whose state is another or missing, and then no row is read", async () => {
    for (const change of [new Uint8Array(12), new Uint8Array(), null]) {
      const db = await openWithStates();
      await db.updateTable("audit_event").set({ state: change }).where("seq", "=", 3).execute();
      const started = await start(db);
      assert.deepEqual([watchOf(started).fault?.reason, watchOf(started).fault?.entry], ["altered", 3]);
      await assert.rejects(idsOf(started, "acc_3"), { code: "log_cut" });
    }
  });

  test("forgets the state of a deleted owner, and keeps that of an owner in an entry without one", async () => {
    const db = await openWithStates();
    const event = { event: "signed_out", accountId: "acc_3", subject: "s", detail: {} } as const;
    await transaction(db, async (tx) => {
      await forgetAccount(tx, authority, "acc_4");
      await appendAudit(tx, vault, AT, event);
    });
    for (const started of [await start(db), await start(db)]) {
      await assertNewest(started);
      assert.equal(stateTagsOf(started).table.size, 3);
    }
  });
});

describe("createLogScrubber()", () => {
  test("saves the states of entries that other processes appended", async () => {
    const db = await openWithStates();
    const other = await start(db);
    const clock = { now: AT };
    const scrubber = createLogScrubber(db, {
      vault,
      now: () => clock.now,
      from: await verifyLogFromCheckpoint(db, vault),
    });
    await addIdentity(other, "five", "acc_5");
    clock.now += MINUTE;
    while (await scrubber.step() === "more");
    await assertNewest(db);
    const { seq, stateTags } = await readCheckpoint(db, vault);
    const saved = createStateTags(stateTags);
    assert.deepEqual([seq, saved.size], [5, 5]);
    assert.deepEqual(saved.find("acc_5"), (await macsIn(db)).get("acc_5"));
  });

  test("saves many states only after an entry for each 20 of them", async () => {
    const db = await openTestDatabase();
    await sql`pragma foreign_keys = off`.execute(db);
    await transaction(db, async (tx) => {
      for (let account = 0; account < 60; account++) await addIdentity(tx, `i_${account}`, `acc_${account}`);
    });
    const clock = { now: AT };
    const scrubber = createLogScrubber(db, {
      vault,
      now: () => clock.now,
      from: await verifyLogFromCheckpoint(db, vault),
    });
    for (const [entry, seq] of [[61, 60], [62, 60], [63, 63]] as const) {
      const event = { event: "signed_out", accountId: "acc_1", subject: "s", detail: {} } as const;
      await transaction(db, (tx) => appendAudit(tx, vault, AT + entry, event));
      clock.now += MINUTE;
      while (await scrubber.step() === "more");
      assert.equal((await readCheckpoint(db, vault)).seq, seq);
    }
  });
});

describe("acknowledgeRollback() of a broken log", () => {
  test("accepts the stored state of each owner whose entry is broken, and names it again", async () => {
    const db = await openWithStates();
    await db.updateTable("audit_event").set({ at: 0 }).where("seq", "=", 4).execute();
    const started = await start(db);
    // Also of an account whose state is named before the fault: a later entry may name a newer one.
    for (const account of ["acc_1", "acc_4"]) {
      await assert.rejects(idsOf(started, account), { code: "log_cut" });
    }
    await recordFault(started, vault, AT);
    await acknowledgeRollback(started, vault, { cause: "person", brokenAt: 4, now: AT });
    for (const each of [started, await start(db)]) {
      assert.deepEqual(await idsOf(each, "acc_4"), ["one_4"]);
      await assertNewest(each);
    }
    const accepted = await db.selectFrom("audit_event").select(["account_id", "state"])
      .where("event", "=", "state_accepted").execute();
    assert.deepEqual(accepted, [{ account_id: "acc_4", state: (await macsIn(db)).get("acc_4")! }]);
  });

  test("goes on after a second broken part, in this process and another, unless the first part changes", async () => {
    const db = await openWithStates();
    let started = db;
    for (const broken of [2, 9]) {
      await db.updateTable("audit_event").set({ at: 0 }).where("seq", "=", broken).execute();
      await db.deleteFrom("audit_checkpoint").execute();
      started = await start(db);
      assert.deepEqual([watchOf(started).fault?.reason, watchOf(started).fault?.entry], ["altered", broken]);
      await recordFault(started, vault, AT);
      await acknowledgeRollback(started, vault, { cause: "person", brokenAt: broken, now: AT });
    }
    for (const each of [started, await start(db)]) {
      assert.deepEqual(await idsOf(each, "acc_3"), ["one_3"]);
      await assertNewest(each);
    }
    await db.updateTable("audit_event").set({ at: 1 }).where("seq", "=", 3).execute();
    await db.deleteFrom("audit_checkpoint").execute();
    assert.equal(watchOf(await start(db)).fault?.entry, 2);
  });

  test("accepts no older state that the sound part names before a newer one, or before its deletion", async () => {
    const db = await openWithStates();
    const states = await db.selectFrom("owner_state").selectAll().execute();
    const rows = await db.selectFrom("identity").selectAll().execute();
    await transaction(db, (tx) => consumeRow(tx, authority, "identity", "byId", { id: "one_1" }));
    await transaction(db, (tx) => forgetAccount(tx, authority, "acc_2"));
    await addIdentity(db, "two_4", "acc_4");
    const [last] = await db.selectFrom("audit_event").select("seq").orderBy("seq", "desc").limit(1).execute();
    await db.updateTable("audit_event").set({ at: 0 }).where("seq", "=", last!.seq).execute();
    for (const number of [1, 2]) {
      const state = states.find(({ owner }) => owner === `acc_${number}`)!;
      await db.insertInto("owner_state").values(state)
        .onConflict((conflict) => conflict.column("owner").doUpdateSet(state)).execute();
      await db.insertInto("identity").values(rows.find(({ id }) => id === `one_${number}`)!).execute();
    }
    const started = await start(db);
    await recordFault(started, vault, AT);
    await acknowledgeRollback(started, vault, { cause: "person", brokenAt: last!.seq, now: AT });
    for (const each of [started, await start(db)]) {
      for (const account of ["acc_1", "acc_2"]) await assert.rejects(idsOf(each, account), isInconsistent);
      assert.deepEqual(await idsOf(each, "acc_4"), ["one_4", "two_4"]);
    }
  });

  test("accepts no older state if a sound entry of the broken part names the newest", async () => {
    const db = await openWithStates();
    const state = await db.selectFrom("owner_state").selectAll().where("owner", "=", "acc_1")
      .executeTakeFirstOrThrow();
    const row = await db.selectFrom("identity").selectAll().where("id", "=", "one_1")
      .executeTakeFirstOrThrow();
    await addIdentity(db, "two_4", "acc_4");
    await transaction(db, (tx) => consumeRow(tx, authority, "identity", "byId", { id: "one_1" }));
    await addIdentity(db, "two_3", "acc_3");
    // The entry before that of the deletion is broken, and the account's row and state are put back.
    const { seq } = await db.selectFrom("audit_event").select("seq").where("account_id", "=", "acc_4")
      .orderBy("seq", "desc").limit(1).executeTakeFirstOrThrow();
    await db.updateTable("audit_event").set({ at: 0 }).where("seq", "=", seq).execute();
    await db.updateTable("owner_state").set(state).where("owner", "=", "acc_1").execute();
    await db.insertInto("identity").values(row).execute();
    const started = await start(db);
    await recordFault(started, vault, AT);
    await acknowledgeRollback(started, vault, { cause: "person", brokenAt: seq, now: AT });
    for (const each of [started, await start(db)]) {
      await assert.rejects(idsOf(each, "acc_1"), isInconsistent);
      assert.deepEqual(await idsOf(each, "acc_3"), ["one_3", "two_3"]);
      assert.deepEqual(await idsOf(each, "acc_4"), ["one_4", "two_4"]);
    }
  });

  test("accepts no state that the service did not write, and rows must add up to an accepted one", async () => {
    const db = await openWithStates();
    await db.updateTable("audit_event").set({ at: 0 }).where("seq", "=", 3).execute();
    await db.updateTable("owner_state").set({ version: 9 }).where("owner", "=", "acc_4").execute();
    await db.deleteFrom("identity").where("account_id", "=", "acc_3").execute();
    const started = await start(db);
    await recordFault(started, vault, AT);
    await acknowledgeRollback(started, vault, { cause: "person", brokenAt: 3, now: AT });
    for (const account of ["acc_3", "acc_4"]) {
      await assert.rejects(idsOf(await start(db), account), isInconsistent);
    }
    assert.deepEqual(await idsOf(await start(db), "acc_2"), ["one_2"]);
  });
});

test("an older state with its rows is refused while a fault of the log hides that a newer one is named", async () => {
  const db = await openWithStates();
  const before = await db.selectFrom("owner_state").selectAll().where("owner", "=", "acc_1").execute();
  const [row] = await db.selectFrom("identity").selectAll().where("id", "=", "one_1").execute();
  await transaction(db, (tx) => consumeRow(tx, authority, "identity", "byId", { id: "one_1" }));
  await db.updateTable("audit_event").set({ at: 0 }).where("seq", "=", 4).execute();
  await db.updateTable("owner_state").set(before[0]!).where("owner", "=", "acc_1").execute();
  await db.insertInto("identity").values(row!).execute();
  await assert.rejects(idsOf(openSecondHandle(db), "acc_1"), { code: "log_cut" });
});

describe("followStates()", () => {
  test("reads again if another reader followed the log after its entries were read ahead", async () => {
    const db = await openWithStates();
    const other = await start(db);
    await addIdentity(db, "two_1", "acc_1");
    const ahead = await readAhead(other);
    assert.equal(ahead?.rows.length, 1);
    await followStates(other, vault);
    await addIdentity(db, "three_1", "acc_1");
    await followStates(other, vault, ahead);
    await assertNewest(other);
    assert.equal(watchOf(other).fault, undefined);
    await db.destroy();
  });

  test("verifies entries that were read ahead", async () => {
    const db = await openWithStates();
    const other = await start(db);
    await addIdentity(db, "two_1", "acc_1");
    const ahead = (await readAhead(other))!;
    const [row] = ahead.rows;
    await followStates(other, vault, { ...ahead, rows: [{ ...row!, state: new Uint8Array(12) }] });
    assert.equal(watchOf(other).fault?.reason, "altered");
    await db.destroy();
  });
});
