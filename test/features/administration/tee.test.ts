import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createRowAuthority } from "../../../src/audit/row-authority.ts";
import { openDatabase } from "../../../src/db/database.ts";
import { transaction } from "../../../src/db/transaction.ts";
import { openSqlite } from "../../../src/runtime/sqlite/open.ts";
import { adoptFirstSlot } from "../../../src/sealing/slots.ts";
import { insertRow } from "../../../src/store/write.ts";
import { ADMIN_KEY, createTestApp, type TestApp } from "../../support/app.ts";
import { signUp } from "../../support/client.ts";
import { assertInconsistent, dropMemory } from "../../support/inconsistent.ts";
import { storedSlot } from "../../support/seal-slots.ts";
import { createTestVault } from "../../support/vault.ts";

const PATH = "/api/tee";
const withKey = (key: string): { readonly headers: Readonly<Record<string, string>> } => ({
  headers: { authorization: `Bearer ${key}` },
});

const KEY_ID = "ab".repeat(32);
const SLOTS = [{ source: "file", keyId: KEY_ID }];

/** Creates an app whose database has the slot of a file's key. */
async function createSlottedApp(): Promise<TestApp> {
  const [db, vault, now] = [await openDatabase(await openSqlite(":memory:")), createTestVault(), 1];
  const authority = createRowAuthority(vault, () => now);
  const { mac: _, ...slot } = storedSlot(KEY_ID);
  await transaction(db, async (tx) => {
    await insertRow(tx, authority, "seal_slot", slot);
    await adoptFirstSlot(tx, { vault, authority }, { source: "file", now });
  });
  return await createTestApp({ db, vault });
}

describe("GET /api/tee", () => {
  test("names the provider, and each key that opens the seed", async () => {
    await using app = await createSlottedApp();
    const { status, body } = await app.client().get(PATH, withKey(ADMIN_KEY));
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ["provider", "inTee", "keyProvider", "slots"]);
    assert.deepEqual(body.slots, SLOTS);
  });

  test("is refused without the admin key, to everyone", async () => {
    await using app = await createTestApp();
    const person = app.client();
    await signUp(person, "ada@example.com");
    const made = await person.post("/api/auth/tokens", { name: "Bot", keys: "all", actions: ["sign"] });
    const answers = [
      await app.client().get(PATH),
      await app.client().get(PATH, withKey(`${ADMIN_KEY}x`)),
      await app.client().get(PATH, { headers: { authorization: `Basic ${btoa(`admin:${ADMIN_KEY}`)}` } }),
      await person.get(PATH),
      await person.get(PATH, withKey(made.body.text)),
    ];
    for (const { status, body, headers } of answers) {
      assert.equal(status, 401);
      assert.equal(body.code, "authentication_required");
      assert.equal(headers.get("www-authenticate"), 'Bearer realm="admin"');
      assert.ok(!JSON.stringify(body).includes("slots"));
    }
  });

  test("names no slot that the seed does not authenticate, and no set that is not the newest", async () => {
    await using app = await createSlottedApp();
    const slot = await app.db.selectFrom("seal_slot").selectAll().executeTakeFirstOrThrow();
    const thief = { ...slot, id: "slot_thief", seal_key_id: "cd".repeat(32) };
    await app.db.insertInto("seal_slot").values(thief).execute();
    const { body } = await app.client().get(PATH, withKey(ADMIN_KEY));
    assert.deepEqual(body.slots, SLOTS);
    await app.db.updateTable("seal_set").set({ slots: "slot_first slot_thief" }).execute();
    dropMemory(app.db);
    assertInconsistent(await app.client().get(PATH, withKey(ADMIN_KEY)));
  });
});
