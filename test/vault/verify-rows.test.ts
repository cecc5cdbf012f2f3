import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { transaction } from "../../src/db/transaction.ts";
import { createKey } from "../../src/keys/key.ts";
import { AUTHORITY } from "../../src/vault/authority.ts";
import { verifyRows } from "../../src/vault/verify-rows.ts";
import { createKeyStore, NOW } from "../support/key-store.ts";
import { createTestVault } from "../support/vault.ts";

describe("verifyRows()", () => {
  test("counts every kind of row that grants authority, over more than one page", async () => {
    const accounts = Array.from({ length: 2300 }, (_, index) => `acct_${index}`);
    await using store = await createKeyStore(accounts);
    const { db, maker, random } = store;
    await transaction(
      db,
      (tx) => createKey(tx, maker, { accountId: "acct_7", label: undefined, now: NOW, random }),
    );
    const counts = await verifyRows(db, maker.vault);
    assert.deepEqual(counts.map(({ kind }) => kind), Object.keys(AUTHORITY));
    const found = Object.fromEntries(counts.map(({ kind, rows }) => [kind, rows]));
    assert.deepEqual([found["account"], found["ethereum_key"], found["session"]], [2300, 1, 0]);
    assert.ok(counts.every(({ forged }) => forged === 0));
  });

  test("finds each row that was edited, and every row when the seed is another", async () => {
    await using store = await createKeyStore(["acct_1", "acct_2", "acct_3"]);
    const { db, maker } = store;
    await db.updateTable("account").set({ email: "thief@example.com" }).where("id", "=", "acct_2").execute();
    const [account] = await verifyRows(db, maker.vault);
    assert.deepEqual(account, { kind: "account", rows: 3, forged: 1 });
    const [other] = await verifyRows(db, createTestVault(9));
    assert.deepEqual(other, { kind: "account", rows: 3, forged: 3 });
  });
});
