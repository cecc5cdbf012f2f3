import assert from "node:assert/strict";
import { test } from "node:test";
import { transaction } from "../../src/db/transaction.ts";
import { changeKey, createKey, getKey, KEY_LIMIT, listKeys } from "../../src/keys/key.ts";
import type { EthereumKey } from "../../src/keys/key.ts";
import { defaultLabel, readLabel } from "../../src/keys/label.ts";
import { concat } from "../../src/lib/bytes.ts";
import { ProtocolError } from "../../src/lib/error.ts";
import { insertRow } from "../../src/store/write.ts";
import { createKeyStore, NOW } from "../support/key-store.ts";
import type { KeyStore } from "../support/key-store.ts";

const ACCOUNT = "acc_a";
const OTHER = "acc_b";

function create({ db, maker, random }: KeyStore, accountId: string, label?: string): Promise<EthereumKey> {
  return transaction(db, (tx) => createKey(tx, maker, { accountId, label, now: NOW, random }));
}

function isCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof ProtocolError && error.code === code;
}

test("createKey() assigns contiguous unique indexes when called fifty times at once", async () => {
  await using store = await createKeyStore([ACCOUNT]);
  const keys = await Promise.all(Array.from({ length: 50 }, () => create(store, ACCOUNT)));
  assert.deepEqual(
    keys.map((key) => key.keyIndex).sort((a, b) => a - b),
    Array.from({ length: 50 }, (_, i) => i),
  );
  assert.equal(new Set(keys.map((key) => key.address.toHex())).size, 50);
});

test("createKey() creates different keys for two accounts at the same index", async () => {
  await using store = await createKeyStore([ACCOUNT, OTHER]);
  const [mine, theirs] = [await create(store, ACCOUNT), await create(store, OTHER)];
  assert.equal(mine.keyIndex, 0);
  assert.equal(theirs.keyIndex, 0);
  assert.notDeepEqual(mine.address, theirs.address);
});

test("createKey() creates at most 10,000 keys for an account", { timeout: 60_000 }, async () => {
  await using store = await createKeyStore([ACCOUNT, OTHER]);
  const { db, maker: { authority } } = store;
  await transaction(db, async (tx) => {
    for (let index = 0; index < KEY_LIMIT - 1; index++) {
      const bytes = Uint8Array.of(index >> 8, index & 255);
      await insertRow(tx, authority, "ethereum_key", {
        id: `key_${index}`,
        account_id: ACCOUNT,
        key_index: index,
        address: concat(bytes, new Uint8Array(18)),
        public_key: concat(bytes, new Uint8Array(63)),
        label: "Key",
        blind_signing: "allow",
        created_at: NOW,
        archived_at: NOW,
        revision: null,
        policy: null,
        policy_change: null,
        policy_change_at: null,
      });
    }
  });
  assert.equal((await create(store, ACCOUNT)).keyIndex, 9999);
  await assert.rejects(create(store, ACCOUNT), isCode("too_many_keys"));
  assert.equal((await create(store, OTHER)).keyIndex, 0);
});

test("createKey() refuses an account that does not exist", async () => {
  await using store = await createKeyStore([ACCOUNT]);
  await assert.rejects(create(store, "acc_nobody"), /FOREIGN KEY constraint failed/);
});

test("createKey() derives the same address again after its row was deleted", async () => {
  await using store = await createKeyStore([ACCOUNT]);
  const first = await create(store, ACCOUNT);
  await store.db.deleteFrom("ethereum_key").execute();
  assert.deepEqual((await create(store, ACCOUNT)).address, first.address);
});

test("createKey() recreates a deleted key with its address before it creates new ones", async () => {
  await using store = await createKeyStore([ACCOUNT]);
  const keys = [];
  for (let index = 0; index < 5; index++) keys.push(await create(store, ACCOUNT));
  const lost = [1, 3];
  for (const index of lost) {
    await store.db.deleteFrom("ethereum_key").where("id", "=", keys[index]!.id).execute();
  }
  const made = [];
  for (let count = 0; count < 3; count++) made.push(await create(store, ACCOUNT));
  assert.deepEqual(made.map(({ keyIndex }) => keyIndex).sort(), [1, 3, 5]);
  const again = made.filter(({ keyIndex }) => lost.includes(keyIndex));
  for (const key of again) assert.deepEqual(key.address, keys[key.keyIndex]!.address);
});

for (const index of [3, 700_000, 2 ** 32 - 1]) {
  test(`createKey() continues at the next index when an attacker inserted a row at index ${index}`, async () => {
    await using store = await createKeyStore([ACCOUNT, OTHER]);
    for (let count = 0; count < 3; count++) await create(store, ACCOUNT);
    await create(store, OTHER);
    const row = await store.db.selectFrom("ethereum_key").selectAll().where("account_id", "=", OTHER)
      .executeTakeFirstOrThrow();
    await store.db.insertInto("ethereum_key")
      .values({ ...row, id: "key_forged", account_id: ACCOUNT, key_index: index }).execute();
    for (const expected of [3, 4, 5]) assert.equal((await create(store, ACCOUNT)).keyIndex, expected);
    assert.equal((await create(store, OTHER)).keyIndex, 1);
  });
}

test("createKey() recreates a key whose row was edited, when the log has no entry about it", async () => {
  await using store = await createKeyStore([ACCOUNT]);
  const keys = [];
  for (let count = 0; count < 3; count++) keys.push(await create(store, ACCOUNT));
  await store.db.updateTable("ethereum_key").set({ label: "Mine" }).where("id", "=", keys[2]!.id).execute();
  const again = await create(store, ACCOUNT);
  assert.deepEqual([again.keyIndex, again.address], [2, keys[2]!.address]);
});

test("listKeys() ignores rows with a wrong MAC when it pages", async () => {
  await using store = await createKeyStore([ACCOUNT]);
  const { db, maker } = store;
  for (let index = 0; index < 7; index++) await create(store, ACCOUNT);
  await db.updateTable("ethereum_key").set({ label: "Mine" }).where("key_index", "in", [1, 2, 5]).execute();
  const seen: number[] = [];
  let fromIndex: number | undefined = 0;
  while (fromIndex !== undefined) {
    const page = await listKeys(db, maker.authority, { ...all(ACCOUNT), limit: 2, fromIndex });
    seen.push(...page.keys.map(({ keyIndex }) => keyIndex));
    assert.equal(page.keys.length, 2);
    fromIndex = page.nextIndex;
  }
  assert.deepEqual(seen, [0, 3, 4, 6]);
});

test("createKey() names a key after its index when no label is given", async () => {
  await using store = await createKeyStore([ACCOUNT]);
  assert.equal((await create(store, ACCOUNT)).label, "Key 1");
  assert.equal((await create(store, ACCOUNT, "Savings")).label, "Savings");
  assert.equal(defaultLabel(9), "Key 10");
});

test("listKeys() pages in the order of indexes and lists archived keys only on request", async () => {
  await using store = await createKeyStore([ACCOUNT]);
  const { db, maker } = store;
  for (let index = 0; index < 5; index++) await create(store, ACCOUNT);
  const second = (await listKeys(db, maker.authority, all(ACCOUNT))).keys[1]!;
  await change(store, second.id, { archived: true });
  const indexes = async (query: Parameters<typeof listKeys>[2]) => {
    const page = await listKeys(db, maker.authority, query);
    return [page.keys.map((key) => key.keyIndex), page.nextIndex];
  };
  assert.deepEqual(await indexes(all(ACCOUNT)), [[0, 1, 2, 3, 4], undefined]);
  assert.deepEqual(await indexes({ ...all(ACCOUNT), archived: "exclude" }), [[0, 2, 3, 4], undefined]);
  assert.deepEqual(await indexes({ ...all(ACCOUNT), limit: 2 }), [[0, 1], 2]);
  assert.deepEqual(await indexes({ ...all(ACCOUNT), limit: 2, fromIndex: 4 }), [[4], undefined]);
  assert.deepEqual(await indexes(all(OTHER)), [[], undefined]);
});

test("getKey() throws not_found for another account's key and for an unknown one", async () => {
  await using store = await createKeyStore([ACCOUNT, OTHER]);
  const { id } = await create(store, OTHER);
  for (const keyId of [id, "key_nothing"]) {
    await assert.rejects(
      getKey(store.db, store.maker, { accountId: ACCOUNT, keyId }),
      isCode("not_found"),
    );
  }
});

test("changeKey() changes label, blind signing and archiving, and records each once", async () => {
  await using store = await createKeyStore([ACCOUNT]);
  const { id } = await create(store, ACCOUNT);
  assert.equal((await change(store, id, { label: "Rent" })).label, "Rent");
  assert.equal((await change(store, id, { blindSigning: "deny" })).blindSigning, "deny");
  assert.equal((await change(store, id, { archived: true })).archivedAt, NOW);
  assert.equal((await change(store, id, { archived: true, label: "Home" }, NOW + 1)).archivedAt, NOW);
  assert.equal((await change(store, id, { archived: false })).archivedAt, null);
  const events = await store.db.selectFrom("audit_event").select("event").orderBy("seq").execute();
  assert.deepEqual(events.map(({ event }) => event), [
    "key_generated",
    "key_labelled",
    "blind_signing_changed",
    "key_archived",
    "key_labelled",
    "key_unarchived",
  ]);
  assert.equal(
    (await getKey(store.db, store.maker, { accountId: ACCOUNT, keyId: id })).label,
    "Home",
  );
});

test("changeKey() throws not_found for another account's key and changes nothing", async () => {
  await using store = await createKeyStore([ACCOUNT, OTHER]);
  const { id } = await create(store, OTHER);
  await assert.rejects(change(store, id, { label: "Mine" }), isCode("not_found"));
  assert.equal(
    (await getKey(store.db, store.maker, { accountId: OTHER, keyId: id })).label,
    "Key 1",
  );
});

const EDITS = [
  { account_id: ACCOUNT },
  { key_index: 7 },
  { address: new Uint8Array(20) },
  { public_key: new Uint8Array(65) },
  { label: "Savings" },
  { blind_signing: "guard" },
  { created_at: 1 },
  { archived_at: 5 },
  { revision: 3 },
  { policy: "{}" },
  { policy_change: "null", policy_change_at: 5 },
  { mac: new Uint8Array(32) },
] as const;

for (const edit of EDITS) {
  test(`getKey() and listKeys() treat a key as absent when its ${Object.keys(edit)[0]} was edited`, async () => {
    await using store = await createKeyStore([ACCOUNT, OTHER]);
    const { id } = await create(store, OTHER);
    await store.db.updateTable("ethereum_key").set(edit).where("id", "=", id).execute();
    for (const accountId of [ACCOUNT, OTHER]) {
      await assert.rejects(
        getKey(store.db, store.maker, { accountId, keyId: id }),
        isCode("not_found"),
      );
      assert.deepEqual((await listKeys(store.db, store.maker.authority, all(accountId))).keys, []);
    }
    assert.ok(store.rejected.includes(`ethereum_key ${id}`));
  });
}

test("readLabel() trims, and accepts 1 to 100 characters without control characters", () => {
  assert.equal(readLabel("  Rent  "), "Rent");
  assert.equal(readLabel("🔑".repeat(100)), "🔑".repeat(100));
  assert.equal(readLabel("é"), "é");
  for (
    const bad of ["", "   ", "a".repeat(101), "🔑".repeat(101), "a\u0000b", "a\nb", "a\u0085b", "\ud800"]
  ) {
    assert.equal(readLabel(bad), undefined, JSON.stringify(bad));
  }
});

function all(accountId: string): Parameters<typeof listKeys>[2] {
  return { accountId, archived: "include", fromIndex: 0, limit: 100 };
}

function change(
  { db, maker }: KeyStore,
  keyId: string,
  what: Parameters<typeof changeKey>[3],
  now = NOW,
): Promise<EthereumKey> {
  return transaction(db, (tx) => changeKey(tx, maker, { accountId: ACCOUNT, keyId, now }, what));
}
