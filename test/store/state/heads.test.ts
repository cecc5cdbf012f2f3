import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createHeads, HEAD_LENGTH } from "../../../src/store/state/heads.ts";
import type { Heads } from "../../../src/store/state/heads.ts";
import { concat, utf8 } from "../../../src/lib/bytes.ts";
import { sha256 } from "../../../src/lib/sha256.ts";

function headOf(name: string): Uint8Array {
  return sha256(utf8(name)).subarray(0, HEAD_LENGTH);
}

/** Asserts that the table has exactly these heads. */
function assertSame(heads: Heads, expected: ReadonlyMap<string, Uint8Array>, names: readonly string[]): void {
  assert.equal(heads.size, expected.size);
  for (const name of names) assert.deepEqual(heads.find(name), expected.get(name), name);
}

/** Returns a repeatable sequence of numbers from 0 to `below - 1`. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

describe("createHeads()", () => {
  test("finds nothing in an empty table", () => {
    const heads = createHeads();
    assert.equal(heads.find("service"), undefined);
    heads.delete("service");
    assert.deepEqual([heads.size, heads.encode().length], [0, 0]);
  });

  test("finds the latest head of an owner, and no other owner's", () => {
    const heads = createHeads();
    for (const name of ["one", "two"]) heads.set("account_1", headOf(name));
    heads.set("account_2", headOf("three"));
    assert.deepEqual(heads.find("account_1"), headOf("two"));
    assert.deepEqual(heads.find("account_2"), headOf("three"));
    assert.equal(heads.find("account_3"), undefined);
    assert.equal(heads.size, 2);
  });

  test("takes the first bytes of a head that is a part of a larger array", () => {
    const heads = createHeads();
    heads.set("account_1", concat(headOf("before"), headOf("head")).subarray(HEAD_LENGTH));
    assert.deepEqual(heads.find("account_1"), headOf("head"));
  });

  test("returns copies: a caller that changes one changes no head", () => {
    const heads = createHeads();
    heads.set("account_1", headOf("head"));
    heads.find("account_1")![0]! ^= 1;
    heads.encode()[12]! ^= 1;
    assert.deepEqual(heads.find("account_1"), headOf("head"));
  });

  test("keeps every head while it grows", () => {
    const heads = createHeads();
    const names = Array.from({ length: 5000 }, (_, index) => `account_${index}`);
    for (const name of names) heads.set(name, headOf(name));
    assertSame(heads, new Map(names.map((name) => [name, headOf(name)])), names);
  });

  for (const [title, names, operations] of [["small", 20, 2000], ["full", 1400, 20_000]] as const) {
    test(`does what a Map does, in random operations on a ${title} table`, () => {
      const next = randomNumbers(names);
      const heads = createHeads();
      const expected = new Map<string, Uint8Array>();
      const all = Array.from({ length: names }, (_, index) => `account_${index}`);
      for (let operation = 0; operation < operations; operation++) {
        const name = all[next(names)]!;
        if (next(2) === 0) {
          const head = headOf(`${name} ${operation}`);
          heads.set(name, head);
          expected.set(name, head);
        } else {
          heads.delete(name);
          expected.delete(name);
        }
        const other = all[next(names)]!;
        assert.deepEqual(heads.find(other), expected.get(other));
        if (operation % 1000 === 0) assertSame(heads, expected, all);
      }
      assertSame(heads, expected, all);
      for (const name of all) heads.delete(name);
      assert.deepEqual([heads.size, heads.encode().length], [0, 0]);
    });
  }

  test("reads what encode() returned: 20 bytes for each owner", () => {
    const heads = createHeads();
    const names = Array.from({ length: 1500 }, (_, index) => `account_${index}`);
    for (const name of names) heads.set(name, headOf(name));
    for (const name of names.slice(0, 500)) heads.delete(name);
    const encoded = heads.encode();
    assert.equal(encoded.length, 20 * 1000);
    const expected = new Map(names.slice(500).map((name) => [name, headOf(name)]));
    assertSame(createHeads(encoded), expected, names);
    const part = concat(new Uint8Array(3), encoded).subarray(3);
    assertSame(createHeads(part), expected, names);
    assert.deepEqual(createHeads(createHeads(encoded).encode()).size, 1000);
  });

  test("ignores a last entry that is not whole", () => {
    const heads = createHeads();
    heads.set("account_1", headOf("one"));
    const encoded = heads.encode();
    assertSame(
      createHeads(concat(encoded, encoded.subarray(0, 19))),
      new Map([["account_1", headOf("one")]]),
      [
        "account_1",
      ],
    );
    assert.equal(createHeads(encoded.subarray(0, 19)).size, 0);
  });
});
