import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { appendAudit } from "../../src/audit/log.ts";
import { verifyAudit } from "../../src/audit/verify.ts";
import { createGroupCommit } from "../../src/db/group-commit.ts";
import { transaction } from "../../src/db/transaction.ts";
import { openTestDatabase } from "../support/database.ts";
import { createTestVault } from "../support/vault.ts";

const vault = createTestVault();
const AT = 1_700_000_000_000;

describe("appendAudit()", () => {
  test("writes numbered entries with their details as JSON, sorted by name", async () => {
    const db = await openTestDatabase();
    await transaction(db, async (tx) => {
      await appendAudit(tx, vault, AT, {
        event: "message_signed",
        accountId: "acc_1",
        subject: "key_1",
        detail: { format: "raw", digest: "0x01" },
      });
      await appendAudit(tx, vault, AT - 5, {
        event: "sign_in_refused",
        accountId: null,
        subject: null,
        detail: { reason: "signature" },
      });
    });
    const rows = await db.selectFrom("audit_event").select([
      "seq",
      "at",
      "event",
      "account_id",
      "subject",
      "detail",
    ]).orderBy("seq").execute();
    assert.deepEqual(rows, [
      {
        seq: 1,
        at: AT,
        event: "message_signed",
        account_id: "acc_1",
        subject: "key_1",
        detail: '{"digest":"0x01","format":"raw"}',
      },
      {
        seq: 2,
        at: AT - 5,
        event: "sign_in_refused",
        account_id: null,
        subject: null,
        detail: '{"reason":"signature"}',
      },
    ]);
    await db.destroy();
  });

  test("continues after the last committed entry when one in between is rolled back", async () => {
    const db = await openTestDatabase();
    const { run } = createGroupCommit(db);
    const event = { event: "signed_out", accountId: "acc_1", subject: "ses_1", detail: {} } as const;
    const outcomes = await Promise.allSettled([
      run((tx) => appendAudit(tx, vault, AT, event)),
      run(async (tx) => {
        await appendAudit(tx, vault, AT, event);
        throw new RangeError("No");
      }),
      run((tx) => appendAudit(tx, vault, AT, event)),
    ]);
    assert.deepEqual(outcomes.map(({ status }) => status), ["fulfilled", "rejected", "fulfilled"]);
    const { entries, fault } = await verifyAudit(db, vault);
    assert.deepEqual({ entries, fault }, { entries: 2, fault: undefined });
    await db.destroy();
  });

  test("always computes the same hashes", async () => {
    const db = await openTestDatabase();
    const event = { event: "signed_out", accountId: "acc_1", subject: "ses_1", detail: {} } as const;
    await transaction(db, async (tx) => {
      await appendAudit(tx, vault, AT, event);
      await appendAudit(tx, vault, AT, { ...event, accountId: null });
    });
    const rows = await db.selectFrom("audit_event").select("hash").orderBy("seq").execute();
    // Computed with another implementation of SHA-256. A change here invalidates every existing log.
    assert.deepEqual(rows.map(({ hash }) => hash.toHex()), GOLDEN_HASHES);
    await db.destroy();
  });

  test("throws outside a transaction", async () => {
    const db = await openTestDatabase();
    const event = { event: "signed_out", accountId: "acc_1", subject: "ses_1", detail: {} } as const;
    await assert.rejects(appendAudit(db, vault, AT, event), /not in a transaction/);
    assert.deepEqual(await db.selectFrom("audit_event").selectAll().execute(), []);
    await db.destroy();
  });

  test("writes no entry when its transaction rolls back, and the next one follows the last committed one", async () => {
    const db = await openTestDatabase();
    const event = { event: "signed_out", accountId: "acc_1", subject: "ses_1", detail: {} } as const;
    await transaction(db, (tx) => appendAudit(tx, vault, AT, event));
    await assert.rejects(
      transaction(db, async (tx) => {
        await appendAudit(tx, vault, AT, event);
        throw new Error("The act failed");
      }),
      /The act failed/,
    );
    await transaction(db, (tx) => appendAudit(tx, vault, AT, event));
    const verdict = await verifyAudit(db, vault);
    assert.equal(verdict.entries, 2);
    assert.equal(verdict.fault, undefined);
    await db.destroy();
  });
});

const GOLDEN_HASHES = [
  "f3584ff9dad763faed8347091235c1883a5525c01bd5049e0542d24d6ccc66fa",
  "4ce95b284c52bbe4df6ce64f40e6d97ae42b05c52906e6eba2bb1ca9a5ca952c",
];
