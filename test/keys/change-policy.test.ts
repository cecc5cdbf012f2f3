import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sql } from "kysely";
import { transaction } from "../../src/db/transaction.ts";
import { applyDuePolicyChanges } from "../../src/keys/change-policy.ts";
import { writePolicyState } from "../../src/keys/key-policy.ts";
import { getKeyRow } from "../../src/keys/key-row.ts";
import { createKey, listAllKeys } from "../../src/keys/key.ts";
import { policyStateAt } from "../../src/keys/policy-state.ts";
import { listOutbox } from "../../src/mail/outbox.ts";
import { canonicalPolicy } from "../../src/policy/canonical.ts";
import { readKeyPolicy } from "../../src/policy/read-policy.ts";
import { importVerifier } from "../../src/runtime/crypto.ts";
import { createKeyStore, NOW } from "../support/key-store.ts";
import type { KeyStore } from "../support/key-store.ts";
import { openSecondHandle } from "../support/state.ts";

const ACCOUNT = "acc_a";
const OTHER = "acc_b";
const POLICY = canonicalPolicy(readKeyPolicy({ version: 1, delayHours: 1 }));
const relyingParty = { id: "localhost", name: "Holdfast", origin: "http://localhost:3000", importVerifier };

/** Creates a key whose policy is removed at this time. Returns its id. */
async function makeChanging(
  { db, maker, random }: KeyStore,
  at: number,
  accountId = ACCOUNT,
): Promise<string> {
  return await transaction(db, async (tx) => {
    const { id } = await createKey(tx, maker, { accountId, label: undefined, now: NOW, random });
    const row = await getKeyRow(tx, maker, { accountId, keyId: id });
    const policyState = { policy: POLICY, change: { to: null, at } };
    await writePolicyState(tx, maker, row, { act: "asked", policyState }, NOW);
    return id;
  });
}

async function settle({ db, maker, random }: KeyStore, now: number): Promise<number> {
  let batches = 0;
  const services = { ...maker, mailer: { queued: () => {} } };
  await applyDuePolicyChanges(db, services, { relyingParty, now, random }, (batch) => {
    batches++;
    return batch();
  });
  return batches;
}

async function pendingKeys({ db }: KeyStore): Promise<readonly string[]> {
  const rows = await db.selectFrom("ethereum_key").select("id").where("policy_change_at", "is not", null)
    .execute();
  return rows.map(({ id }) => id);
}

async function countPendingChanges(store: KeyStore, now: number): Promise<number> {
  const keys = await listAllKeys(store.db, store.maker.authority, ACCOUNT);
  return keys.filter(({ policyState }) =>
    policyStateAt(policyState, now).change !== null || policyState.change !== null
  ).length;
}

describe("applyDuePolicyChanges()", () => {
  test("records every due change, page by page at low priority, and no other", async () => {
    await using store = await createKeyStore([ACCOUNT]);
    for (let index = 0; index < 110; index++) await makeChanging(store, NOW + (index < 105 ? 5 : 60));
    assert.equal(await settle(store, NOW + 4), 0);
    assert.equal(await settle(store, NOW + 5), 105);
    assert.equal(await countPendingChanges(store, NOW + 5), 5);
    assert.equal(
      (await listOutbox(store.db, store.maker.vault, NOW + 5)).length,
      100,
      "a full page",
    );
    assert.equal(await settle(store, NOW + 5), 0);
  });

  test("leaves an account whose key was restored, and goes on with others", async () => {
    await using store = await createKeyStore([ACCOUNT, OTHER]);
    const { db } = store;
    const id = await makeChanging(store, NOW + 5);
    const before = await db.selectFrom("ethereum_key").selectAll().where("id", "=", id)
      .executeTakeFirstOrThrow();
    await transaction(db, async (tx) => {
      const row = await getKeyRow(tx, store.maker, { accountId: ACCOUNT, keyId: id });
      const policyState = { policy: POLICY, change: null };
      await writePolicyState(tx, store.maker, row, { act: "cancelled", policyState }, NOW);
    });
    await makeChanging(store, NOW + 6, OTHER);
    await db.deleteFrom("ethereum_key").where("id", "=", id).execute();
    await db.insertInto("ethereum_key").values(before).execute();
    for (const handle of [db, openSecondHandle(db)]) {
      await settle({ ...store, db: handle }, NOW + 6);
      assert.deepEqual(await pendingKeys(store), [id]);
    }
  });

  test("leaves an account that was edited, and goes on with others", async () => {
    await using store = await createKeyStore([ACCOUNT, OTHER]);
    const { db } = store;
    const id = await makeChanging(store, NOW + 5);
    await makeChanging(store, NOW + 6, OTHER);
    await db.updateTable("account").set({ email: "mallory@evil.example" }).where("id", "=", ACCOUNT)
      .execute();
    await settle({ ...store, db: openSecondHandle(db) }, NOW + 6);
    assert.deepEqual(await pendingKeys(store), [id]);
  });

  test("is not held up by a page of rows that an attacker inserted", async () => {
    await using store = await createKeyStore([ACCOUNT, OTHER]);
    const { db } = store;
    const id = await makeChanging(store, NOW + 5);
    const row = await db.selectFrom("ethereum_key").selectAll().executeTakeFirstOrThrow();
    const forged = Array.from({ length: 60 }, (_, index) => ({
      ...row,
      id: `key_forged_${index}`,
      account_id: OTHER,
      key_index: index,
      address: Uint8Array.of(index),
      policy_change_at: 1,
    }));
    await db.insertInto("ethereum_key").values(forged).execute();
    await settle({ ...store, db: openSecondHandle(db) }, NOW + 6);
    assert.equal((await pendingKeys(store)).includes(id), false);
  });

  test("finds due changes with an index", async () => {
    await using store = await createKeyStore([ACCOUNT]);
    const { rows } = await sql<{ detail: string }>`explain query plan select id from ethereum_key
      where policy_change_at > 0 or (policy_change_at = 0 and id > '')
      order by policy_change_at, id limit 50`.execute(store.db);
    assert.ok(rows.some(({ detail }) => detail.includes("ethereum_key_policy_change_at")));
    assert.ok(rows.every(({ detail }) => !/^SCAN/.test(detail)));
  });
});
