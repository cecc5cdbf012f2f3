import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DEVICE_LIMIT, forgetDevices, recordDevice } from "../../../src/accounts/session/known-browser.ts";
import { DEVICE_LIFETIME } from "../../../src/db/retention.ts";
import type { Tables } from "../../../src/db/schema/schema.ts";
import { DAY } from "../../../src/lib/time.ts";
import { isInconsistent } from "../../support/state.ts";
import { NOW, openFixture, random } from "../fixture.ts";
import { insertPerson } from "../people.ts";

async function stage() {
  const fixture = await openFixture();
  const { db, services: { authority } } = fixture;
  const { account: { id: accountId } } = await insertPerson(fixture, "alice@example.com");
  const { account: { id: otherId } } = await insertPerson(fixture, "bob@example.com");
  const record = (deviceHash = "hash", now = NOW, owner = accountId) =>
    recordDevice(db, authority, { accountId: owner, deviceHash, now, random });
  return { ...fixture, authority, accountId, otherId, record };
}

describe("recordDevice()", () => {
  test("recordDevice() reports a browser as new once for each account", async () => {
    const { record, otherId } = await stage();
    const first = await record();
    assert.equal(first.isNew, true);
    assert.deepEqual(await record(), { id: first.id, isNew: false });
    assert.equal((await record("hash", NOW, otherId)).isNew, true);
    assert.equal((await record("other hash")).isNew, true);
  });

  test("recordDevice() recognises a browser for 400 days from its last sign-in", async () => {
    const { record } = await stage();
    assert.equal(DEVICE_LIFETIME, 400 * DAY);
    await record();
    assert.equal((await record("hash", NOW + DEVICE_LIFETIME - 1)).isNew, false);
    assert.equal((await record("hash", NOW + 2 * DEVICE_LIFETIME - 1)).isNew, true);
  });

  test("recordDevice() keeps 50 browsers and deletes the least recently used", async () => {
    const { db, record, accountId } = await stage();
    for (let n = 0; n < DEVICE_LIMIT; n++) await record(`hash ${n}`, NOW + n);
    await record("hash 0", NOW + 100);
    await record("another", NOW + 101);
    const rows = await db.selectFrom("account_device").select("secret_hash")
      .where("account_id", "=", accountId).execute();
    const kept = new Set(rows.map((row) => row.secret_hash));
    assert.equal(kept.size, DEVICE_LIMIT);
    assert.deepEqual([kept.has("hash 0"), kept.has("hash 1"), kept.has("another")], [true, false, true]);
  });

  const edits: Record<string, Partial<Tables["account_device"]>> = {
    secret_hash: { secret_hash: "mallory" },
    created_at: { created_at: 0 },
    mac: { mac: new Uint8Array(32) },
  };
  for (const [column, edit] of Object.entries(edits)) {
    test(`recordDevice() is refused as inconsistent when ${column} was edited`, async () => {
      const { db, rejected, record } = await stage();
      await record();
      await db.updateTable("account_device").set(edit).execute();
      const before = await db.selectFrom("account_device").selectAll().execute();
      for (const deviceHash of ["hash", "mallory"]) {
        await assert.rejects(record(deviceHash), isInconsistent, deviceHash);
      }
      assert.deepEqual([...new Set(rejected.map(({ kind }) => kind))], ["account_device"]);
      assert.deepEqual(await db.selectFrom("account_device").selectAll().execute(), before);
    });
  }

  test("recordDevice() reports a browser as new when its row was moved to another account", async () => {
    const { db, authority, rejected, accountId, otherId, record } = await stage();
    await record();
    await db.updateTable("account_device").set({ account_id: otherId }).execute();
    assert.equal((await record("hash", NOW, otherId)).isNew, true);
    assert.deepEqual([...new Set(rejected.map(({ kind }) => kind))], ["account_device"]);
    const rows = await db.selectFrom("account_device").selectAll().execute();
    assert.deepEqual(rows.map((row) => authority.verifyRow("account_device", row)), rows);
    await assert.rejects(record("hash", NOW, accountId), isInconsistent);
  });

  test("recordDevice() reports a browser as new when an attacker copied a row into the account", async () => {
    const { db, accountId, otherId, record } = await stage();
    await record("mallory", NOW, otherId);
    const own = await db.selectFrom("account_device").selectAll().executeTakeFirstOrThrow();
    await db.insertInto("account_device").values({ ...own, id: "device_forged", account_id: accountId })
      .execute();
    assert.equal((await record("mallory")).isNew, true);
  });
});

test("forgetDevices() deletes browsers of the account, and of no other", async () => {
  const { db, authority, record, accountId, otherId } = await stage();
  const [mine, theirs] = [await record(), await record("hash", NOW, otherId)];
  await forgetDevices(db, authority, { accountId, ids: [mine.id, theirs.id] });
  await forgetDevices(db, authority, { accountId, ids: [] });
  assert.equal((await record()).isNew, true);
  assert.equal((await record("hash", NOW, otherId)).isNew, false);
});
