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
import { isInconsistent, openSecondHandle } from "../support/state.ts";

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

for (const lost of [[0, 1, 2, 3, 4], [1, 3], [4]]) {
  test(`createKey() never reuses an index when the rows at ${lost.join()} were deleted`, async () => {
    await using store = await createKeyStore([ACCOUNT, OTHER]);
    for (let index = 0; index < 5; index++) await create(store, ACCOUNT);
    await store.db.deleteFrom("ethereum_key").where("key_index", "in", lost).execute();
    const before = await store.db.selectFrom("ethereum_key").select("id").execute();
    const afterStart = { ...store, db: openSecondHandle(store.db) };
    await assert.rejects(create(afterStart, ACCOUNT), isInconsistent);
    assert.deepEqual(await store.db.selectFrom("ethereum_key").select("id").execute(), before);
    assert.equal((await create(afterStart, OTHER)).keyIndex, 0, "another account's keys are as they were");
    assert.equal((await create(store, ACCOUNT)).keyIndex, 5, "the process has the keys in memory");
    await assert.rejects(create(afterStart, ACCOUNT), isInconsistent);
  });
}

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

test("createKey() is refused as inconsistent when a key was edited or restored", async () => {
  await using store = await createKeyStore([ACCOUNT]);
  const { db } = store;
  const keys = [];
  for (let count = 0; count < 3; count++) keys.push(await create(store, ACCOUNT));
  const { id } = keys[2]!;
  const old = await db.selectFrom("ethereum_key").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  await change(store, id, { blindSigning: "deny" });
  for (const attack of [{ label: "Mine" }, old]) {
    await db.updateTable("ethereum_key").set(attack).where("id", "=", id).execute();
    await assert.rejects(create({ ...store, db: openSecondHandle(db) }, ACCOUNT), isInconsistent);
  }
});

test("listKeys() ignores rows that an attacker inserted when it pages", async () => {
  await using store = await createKeyStore([ACCOUNT]);
  const { db, maker } = store;
  for (let index = 0; index < 7; index++) await create(store, ACCOUNT);
  const row = await db.selectFrom("ethereum_key").selectAll().executeTakeFirstOrThrow();
  const forged = [7, 8, 9].map((index) => (
    { ...row, id: `key_forged_${index}`, key_index: index, address: Uint8Array.of(index) }
  ));
  await db.insertInto("ethereum_key").values(forged).execute();
  for (const handle of [db, openSecondHandle(db)]) {
    const seen: number[] = [];
    let fromIndex: number | undefined = 0;
    while (fromIndex !== undefined) {
      const page = await listKeys(handle, maker.authority, { ...all(ACCOUNT), limit: 2, fromIndex });
      seen.push(...page.keys.map(({ keyIndex }) => keyIndex));
      fromIndex = page.nextIndex;
    }
    assert.deepEqual(seen, [0, 1, 2, 3, 4, 5, 6]);
  }
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
  const events = await store.db.selectFrom("audit_event").select("event")
    .where("event", "!=", "state_changed").orderBy("seq").execute();
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
  test(`getKey() and listKeys() do not use a key whose ${Object.keys(edit)[0]} was edited`, async () => {
    await using store = await createKeyStore([ACCOUNT, OTHER]);
    const { maker, db } = store;
    const key = await create(store, OTHER);
    await db.updateTable("ethereum_key").set(edit).where("id", "=", key.id).execute();
    assert.deepEqual(await getKey(db, maker, { accountId: OTHER, keyId: key.id }), key, "from memory");
    const afterStart = openSecondHandle(db);
    const getFrom = (accountId: string) => getKey(afterStart, maker, { accountId, keyId: key.id });
    await assert.rejects(getFrom(OTHER), isInconsistent);
    await assert.rejects(listKeys(afterStart, maker.authority, all(OTHER)), isInconsistent);
    await assert.rejects(getFrom(ACCOUNT), isCode("not_found"));
    assert.deepEqual((await listKeys(afterStart, maker.authority, all(ACCOUNT))).keys, []);
    if (!("account_id" in edit)) assert.ok(store.rejected.includes(`ethereum_key ${key.id}`));
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
