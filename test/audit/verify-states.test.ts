import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { appendAudit } from "../../src/audit/log.ts";
import { type StateFault, verifyStates } from "../../src/audit/verify-states.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { CLIENT, SERVICE } from "../../src/store/state/kinds.ts";
import { consumeRow, insertRow } from "../../src/store/write.ts";
import { dropLogTriggers } from "../support/audit.ts";
import { openTestDatabase } from "../support/database.ts";
import { samplesOf } from "../store/sample.ts";
import { openSecondHandle } from "../support/state.ts";
import { createTestAuthority, createTestVault } from "../support/vault.ts";

const vault = createTestVault();
const authority = createTestAuthority(vault);

function account(id: string) {
  const created = { created_at: 1, disabled_at: null, revision: null, updated_at: null };
  return { id, email: null, email_proved_by: null, name: null, language: "en", ...created };
}

/** Opens a database with three accounts, of which the second has two identities, and a key of a workload. */
async function openWithAccounts(): Promise<Db> {
  const db = await openTestDatabase();
  for (const id of ["acc_1", "acc_2", "acc_3"]) await insertRow(db, authority, "account", account(id));
  for (const id of ["one", "two"]) {
    const identity = { id, issuer: "https://id.example", subject: id, account_id: "acc_2", created_at: 1 };
    await insertRow(db, authority, "identity", identity);
  }
  await insertRow(db, authority, "release_key", { workload: "w", sealed: new Uint8Array(), created_at: 1 });
  return db;
}

/** Returns the verdict of a new process. */
async function verdictOn(db: Db) {
  return await verifyStates(openSecondHandle(db), vault);
}

const SOUND = { sound: 4, faults: [], missing: 0 };

async function setState(
  db: Db,
  owner: string,
  change: { version?: number; sets?: Uint8Array },
): Promise<void> {
  await db.updateTable("owner_state").set(change).where("owner", "=", owner).execute();
}

function stateOf(owner: string): StateFault {
  return { owner, kind: "owner_state" };
}

describe("verifyStates()", () => {
  test("counts owners whose rows add up, and reports how many it has read", async () => {
    const db = await openWithAccounts();
    const heard: number[] = [];
    assert.deepEqual(
      await verifyStates(openSecondHandle(db), vault, (owners) => void heard.push(owners)),
      SOUND,
    );
    assert.equal(heard.at(-1), 4);
    assert.deepEqual(await verdictOn(await openTestDatabase()), { sound: 0, faults: [], missing: 0 });
  });

  test("reads more owners than a page has", async () => {
    const db = await openTestDatabase();
    await transaction(db, async (tx) => {
      for (let id = 0; id < 1200; id++) await insertRow(tx, authority, "account", account(`acc_${id}`));
    });
    assert.deepEqual(await verdictOn(db), { sound: 1200, faults: [], missing: 0 });
    await db.deleteFrom("account").where("id", "=", "acc_1100").execute();
    const faults = [{ owner: "acc_1100", kind: "account" }];
    assert.deepEqual(await verdictOn(db), { sound: 1199, faults, missing: 0 });
  });

  test("names owner and kind of a row that is missing, edited or there again", async () => {
    const db = await openWithAccounts();
    const [one] = await db.selectFrom("identity").selectAll().where("id", "=", "one").execute();
    await transaction(db, (tx) => consumeRow(tx, authority, "identity", "byId", { id: "one" }));
    assert.deepEqual(await verdictOn(db), SOUND);
    await db.insertInto("identity").values(one!).execute();
    const faults: unknown[] = [{ owner: "acc_2", kind: "identity" }];
    assert.deepEqual(await verdictOn(db), { sound: 3, faults, missing: 0 });
    await db.updateTable("account").set({ name: "thief" }).where("id", "=", "acc_3").execute();
    faults.push({ owner: "acc_3", kind: "account" });
    assert.deepEqual(await verdictOn(db), { sound: 2, faults, missing: 0 });
    await db.deleteFrom("release_key").execute();
    faults.push({ owner: SERVICE, kind: "release_key" });
    assert.deepEqual(await verdictOn(db), { sound: 1, faults, missing: 0 });
  });

  test("does not count a row with a forged MAC that was added", async () => {
    const db = await openWithAccounts();
    const [one] = await db.selectFrom("identity").selectAll().where("id", "=", "one").execute();
    await db.insertInto("identity").values({ ...one!, id: "three", subject: "three" }).execute();
    assert.deepEqual(await verdictOn(db), SOUND);
  });

  test("names the owner of a state that was edited, and of one that is not the newest", async () => {
    const db = await openWithAccounts();
    const [before] = await db.selectFrom("owner_state").selectAll().where("owner", "=", "acc_2").execute();
    const rows = await db.selectFrom("identity").selectAll().execute();
    await setState(db, "acc_1", { version: 9 });
    assert.deepEqual(await verdictOn(db), { sound: 3, faults: [stateOf("acc_1")], missing: 0 });
    await setState(db, "acc_1", { version: 1 });
    assert.deepEqual(await verdictOn(db), SOUND);

    await transaction(db, (tx) => consumeRow(tx, authority, "identity", "byId", { id: "one" }));
    await db.deleteFrom("identity").execute();
    await db.insertInto("identity").values(rows).execute();
    await setState(db, "acc_2", before!);
    assert.deepEqual(await verdictOn(db), { sound: 3, faults: [stateOf("acc_2")], missing: 0 });
  });

  test("counts owners whose state is missing, and names one that the log does not know", async () => {
    const db = await openWithAccounts();
    const [state] = await db.selectFrom("owner_state").selectAll().where("owner", "=", "acc_3").execute();
    await db.deleteFrom("owner_state").where("owner", "=", "acc_3").execute();
    await db.deleteFrom("account").where("id", "=", "acc_3").execute();
    assert.deepEqual(await verdictOn(db), { sound: 3, faults: [], missing: 1 });
    const columns = { owner: "acc_4", version: 1, sets: state!.sets };
    await db.insertInto("owner_state").values({ ...columns, mac: vault.mac("owner_state", columns) })
      .execute();
    assert.deepEqual(await verdictOn(db), { sound: 3, faults: [stateOf("acc_4")], missing: 1 });
  });

  test("names an account and a client whose state is missing", async () => {
    const db = await openWithAccounts();
    const client = (await samplesOf(db, "client")).plain(1);
    await insertRow(db, authority, "client", client as never);
    const owners = ["acc_2", CLIENT + (client["id"] as string)];
    await db.deleteFrom("owner_state").where("owner", "in", owners).execute();
    // The log knows no such account: the row counts as absent.
    const [row] = await db.selectFrom("account").selectAll().where("id", "=", "acc_1").execute();
    await db.insertInto("account").values({ ...row!, id: "acc_9" }).execute();
    assert.deepEqual(await verdictOn(db), { sound: 3, faults: owners.map(stateOf), missing: 0 });
  });

  test("throws log_cut if the log itself has a fault", async () => {
    const db = await openWithAccounts();
    await transaction(
      db,
      (tx) =>
        appendAudit(tx, vault, 1, { event: "signed_out", accountId: "acc_1", subject: "s", detail: {} }),
    );
    await dropLogTriggers(db);
    await db.updateTable("audit_event").set({ at: 9 }).where("seq", "=", 2).execute();
    await assert.rejects(verdictOn(db), { code: "log_cut" });
  });
});
