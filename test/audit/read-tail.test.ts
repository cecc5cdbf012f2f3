import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { catchUp } from "../../src/audit/read-tail.ts";
import { entryMac } from "../../src/audit/entry.ts";
import { appendAudit } from "../../src/audit/log.ts";
import { watchOf } from "../../src/audit/log-head.ts";
import type { Db } from "../../src/db/schema/schema.ts";
import { transaction } from "../../src/db/transaction.ts";
import { openLyingDatabase } from "../support/lying-database.ts";
import type { LyingDatabase, Row } from "../support/lying-database.ts";
import { createTestVault } from "../support/vault.ts";

const vault = createTestVault();
/**
 * The hash of another entry with the same number, whose MAC is valid because it is from another history of the
 * service.
 */
const OTHER = new Uint8Array(32).fill(5);

async function append(db: Db): Promise<void> {
  const event = { event: "signed_out", accountId: "acc_1", subject: "ses_1", detail: {} } as const;
  await transaction(db, (tx) => appendAudit(tx, vault, 1_700_000_000_000, event));
}

/** Alters the result of each query for the log's end. */
function lieAboutTheEnd(liar: LyingDatabase, change: (row: Row) => Row): void {
  liar.lie = async ({ act, table, carryOut }) => {
    if (act !== "select" || table !== "audit_event") return undefined;
    return (await carryOut()).map((row) => "known_hash" in row ? change(row) : row);
  };
}

describe("catchUp() with a database that lies about the end of its log", () => {
  const LIES: Readonly<Record<string, (row: Row) => Row>> = {
    "another entry with a known number, and the hash of the true one": (row) => ({
      ...row,
      hash: OTHER,
      mac: entryMac(vault, Number(row["seq"]), OTHER),
    }),
    "a later entry, and another hash of a known one": (row) => ({
      ...row,
      seq: String(Number(row["seq"]) + 1),
      hash: OTHER,
      mac: entryMac(vault, Number(row["seq"]) + 1, OTHER),
      known_hash: OTHER,
    }),
    "a later entry, and a known one missing": (row) => ({
      ...row,
      seq: String(Number(row["seq"]) + 1),
      hash: OTHER,
      mac: entryMac(vault, Number(row["seq"]) + 1, OTHER),
      known_hash: null,
    }),
  };
  for (const [what, change] of Object.entries(LIES)) {
    test(`stops at ${what}`, async () => {
      const liar = await openLyingDatabase();
      const { db } = liar;
      await append(db);
      await append(db);
      lieAboutTheEnd(liar, change);
      await catchUp(db, vault);
      const { fault } = watchOf(db);
      assert.deepEqual([fault?.reason, fault?.entry], ["replaced", 2]);
      liar.lie = undefined;
      await db.destroy();
    });
  }
});
