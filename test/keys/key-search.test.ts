import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { searchKeys } from "../../src/keys/key-search.ts";
import type { KeySearch } from "../../src/keys/key-search.ts";
import type { EthereumKey } from "../../src/keys/key.ts";

function key(keyIndex: number, label: string, archivedAt: number | null = null): EthereumKey {
  return {
    id: `key_${keyIndex}`,
    accountId: "account_a",
    keyIndex,
    address: new Uint8Array(20).fill(0xa0 + keyIndex),
    publicKey: new Uint8Array(65),
    label,
    blindSigning: "allow",
    createdAt: 0,
    archivedAt,
    policyState: { policy: null, change: null },
  } as EthereumKey;
}

const KEYS = [key(0, "Key 10"), key(1, "treasury"), key(2, "Key 9"), key(3, "Old Treasury", 1)];

function found(search: Partial<KeySearch>): readonly number[] {
  const all = { text: "", archived: "exclude", order: "newest", lastUses: new Map() } as const;
  return searchKeys(KEYS, { ...all, ...search }).map(({ keyIndex }) => keyIndex);
}

describe("searchKeys()", () => {
  test("lists the newest first, and archived ones on request", () => {
    assert.deepEqual(found({}), [2, 1, 0]);
    assert.deepEqual(found({ archived: "include" }), [3, 2, 1, 0]);
  });

  test("orders by name with natural numbers, and by last use with unused keys last", () => {
    assert.deepEqual(found({ order: "name" }), [2, 0, 1]);
    assert.deepEqual(found({ order: "used", lastUses: new Map([["key_0", 5], ["key_1", 7]]) }), [1, 0, 2]);
  });

  test("finds parts of labels and of addresses, in any case", () => {
    assert.deepEqual(found({ text: " TREAS ", archived: "include" }), [3, 1]);
    assert.deepEqual(found({ text: "0XA1a1" }), [1]);
    assert.deepEqual(found({ text: "nothing" }), []);
  });
});
