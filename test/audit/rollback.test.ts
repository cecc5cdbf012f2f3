import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { appendAudit } from "../../src/audit/log.ts";
import { acknowledgeRollback, findUnacknowledgedFault, recordFault } from "../../src/audit/rollback.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import { stop, watchOf } from "../../src/audit/log-head.ts";
import type { Db, Tables } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { dropLogTriggers, forgetLog } from "../support/audit.ts";
import { openTestDatabase } from "../support/database.ts";
import { createTestVault } from "../support/vault.ts";

const vault = createTestVault();
const AT = 1_700_000_000_000;

async function append(db: Db): Promise<void> {
  const event = { event: "signed_out", accountId: "acc_1", subject: "ses_1", detail: {} } as const;
  await transaction(db, (tx) => appendAudit(tx, vault, AT, event));
}

async function logOf(length: number): Promise<Db> {
  const db = await openTestDatabase();
  for (let entry = 0; entry < length; entry++) await append(db);
  await dropLogTriggers(db);
  return db;
}

async function rowsOf(db: Db): Promise<Tables["audit_event"][]> {
  return await db.selectFrom("audit_event").selectAll().orderBy("seq").execute();
}

async function cutAfter(db: Db, seq: number): Promise<void> {
  await db.deleteFrom("audit_event").where("seq", ">", seq).execute();
}

/** Acknowledges from another process. */
async function acknowledge(db: Db, now: number = AT, brokenAt: number | null = null): Promise<void> {
  const known = { ...watchOf(db) };
  await acknowledgeRollback(db, vault, { cause: "person", brokenAt, now });
  Object.assign(watchOf(db), known);
}

describe("recordFault()", () => {
  test("writes one entry about it, with which the chain is valid", async () => {
    const db = await logOf(4);
    await cutAfter(db, 2);
    await assert.rejects(append(db), /ends before entry 4/);
    for (const _time of [1, 2]) await recordFault(db, vault, AT);
    const rows = await rowsOf(db);
    assert.deepEqual(rows.map(({ event }) => event), ["signed_out", "signed_out", "log_fault_noticed"]);
    assert.equal(rows[2]!.detail, '{"entry":4,"issuedAt":null,"reason":"cut"}');
    assert.equal((await verifyAudit(db, vault)).fault, undefined);
    assert.deepEqual(await findUnacknowledgedFault(db, vault), { entry: 4, issuedAt: null, reason: "cut" });
    await assert.rejects(append(db), /ends before entry 4/);
    await db.destroy();
  });

  test("writes nothing without a fault", async () => {
    const db = await logOf(1);
    await recordFault(db, vault, AT);
    assert.equal((await rowsOf(db)).length, 1);
    await db.destroy();
  });

  test("writes another when the entry about it was removed too", async () => {
    const db = await logOf(4);
    await cutAfter(db, 2);
    for (const _time of [1, 2]) {
      await assert.rejects(append(db), /ends before entry 4/);
      await recordFault(db, vault, AT);
      assert.equal((await rowsOf(db)).at(-1)!.event, "log_fault_noticed");
      await cutAfter(db, 2);
    }
    await assert.rejects(append(db), /ends before entry 4/);
    await acknowledge(db);
    await assert.rejects(append(db), /ends before entry 4/);
    await db.destroy();
  });

  test("rejects while the log cannot be written, and can be repeated", async () => {
    const db = await logOf(1);
    await sql`create trigger lie before insert on audit_event begin select raise(ignore); end`.execute(db);
    await assert.rejects(append(db), /entry 2 was written and is missing/);
    await assert.rejects(recordFault(db, vault, AT), /entry 2 was written and is missing/);
    await sql`drop trigger lie`.execute(db);
    await assert.rejects(append(db), /entry 2 was written and is missing/);
    await recordFault(db, vault, AT);
    await acknowledge(db);
    await append(db);
    await db.destroy();
  });

  test("is appended after a forged entry too, and an earlier acknowledgement does not cover it", async () => {
    const db = await logOf(2);
    await acknowledgeRollback(db, vault, { cause: "person", brokenAt: null, now: AT });
    await sql`insert into audit_event select seq + 1, at, event, account_id, subject, detail, state, hash, mac
      from audit_event where seq = 3`.execute(db);
    await assert.rejects(append(db), /entry 4 was not written by the service/);
    await recordFault(db, vault, AT);
    assert.equal((await rowsOf(db)).at(-1)!.seq, 5);
    await assert.rejects(append(db), /entry 4 was not written by the service/);
    await acknowledge(db, AT, 4);
    await append(db);
    await db.destroy();
  });
});

describe("acknowledgeRollback()", () => {
  /** Creates a log of four entries, cut to two, with the fault recorded. */
  async function stoppedLog(): Promise<Db> {
    const db = await logOf(4);
    await cutAfter(db, 2);
    await assert.rejects(append(db), /ends before entry 4/);
    await recordFault(db, vault, AT);
    return db;
  }

  test("lets the stopped process continue, and one that starts", async () => {
    const db = await stoppedLog();
    await acknowledge(db);
    await append(db);
    forgetLog(db);
    await append(db);
    assert.equal(await findUnacknowledgedFault(db, vault), undefined);
    assert.equal((await verifyAudit(db, vault)).fault, undefined);
    await db.destroy();
  });

  /** Acknowledgements that the service did not write at this position. */
  const FORGED: Readonly<
    Record<string, (rows: readonly Tables["audit_event"][]) => Partial<Tables["audit_event"]>>
  > = {
    "written by another party": () => ({}),
    "with the MAC of another entry": (rows) => ({ hash: rows[1]!.hash, mac: rows[1]!.mac }),
  };

  for (const [name, forge] of Object.entries(FORGED)) {
    test(`is ignored when it is ${name}`, async () => {
      const db = await stoppedLog();
      const rows = await rowsOf(db);
      const detail = JSON.stringify({ brokenAt: null, cause: "person", until: AT });
      const forged = { event: "rollback_acknowledged", account_id: null, subject: null, detail, seq: 4 };
      const bytes = { hash: new Uint8Array(32), mac: new Uint8Array(32) };
      await db.insertInto("audit_event").values({ ...rows[2]!, ...forged, ...bytes, ...forge(rows) })
        .execute();
      await assert.rejects(append(db), /ends before entry 4/);
      await assert.rejects(append(db), /ends before entry 4/);
      forgetLog(db);
      await assert.rejects(append(db), /entry 4 was not written by the service/);
      await db.destroy();
    });
  }

  test("is ignored when it is from another time and was inserted again", async () => {
    const db = await logOf(2);
    const before = await rowsOf(db);
    await acknowledge(db);
    const acknowledged = await rowsOf(db);
    await cutAfter(db, 0);
    await db.insertInto("audit_event").values(before).execute();
    forgetLog(db);
    for (const _time of [3, 4]) await append(db);
    await cutAfter(db, 2);
    await assert.rejects(append(db), /ends before entry 4/);
    await db.insertInto("audit_event").values(acknowledged[2]!).execute();
    await assert.rejects(append(db), /ends before entry 4/);
    await recordFault(db, vault, AT);
    await assert.rejects(append(db), /ends before entry 4/);
    await db.destroy();
  });

  for (const answering of ["none", "one of its own"]) {
    test(`is ignored when it is from another history and covers ${answering} of its faults`, async () => {
      const db = await logOf(6);
      if (answering !== "none") {
        stop(watchOf(db), "receipt", 9, AT);
        await recordFault(db, vault, AT);
      }
      await acknowledgeRollback(db, vault, { cause: "person", brokenAt: null, now: AT });
      const other = await rowsOf(db);
      await cutAfter(db, 3);
      forgetLog(db);
      stop(watchOf(db), "receipt", 5, AT);
      await recordFault(db, vault, AT);
      await db.insertInto("audit_event").values(other.slice(5)).execute();
      await assert.rejects(append(db), /receipt for entry 5/);
      forgetLog(db);
      await assert.rejects(append(db), /receipt for entry 5/);
      assert.deepEqual(await findUnacknowledgedFault(db, vault), {
        entry: 5,
        issuedAt: AT,
        reason: "receipt",
      });
      await acknowledge(db);
      // The log is still broken there.
      await assert.rejects(append(db), /entry 5 is missing/);
      await recordFault(db, vault, AT);
      await acknowledge(db, AT, 5);
      await append(db);
      await db.destroy();
    });
  }

  test("covers receipts up to the latest in the log, whatever the clock says", async () => {
    const db = await logOf(2);
    stop(watchOf(db), "receipt", 9, AT + 5000);
    await recordFault(db, vault, AT);
    await acknowledge(db, AT - 5000);
    await append(db);
    assert.equal(watchOf(db).coveredUntil, AT + 5000);
    await acknowledgeRollback(db, vault, { cause: "restore", brokenAt: null, now: AT });
    assert.equal(watchOf(db).coveredUntil, AT + 5000);
    await db.destroy();
  });
});
