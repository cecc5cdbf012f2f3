import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createStateTags, TAG_LENGTH } from "../../../src/store/state/state-tags.ts";
import type { StateTags } from "../../../src/store/state/state-tags.ts";
import { concat, utf8 } from "../../../src/lib/bytes.ts";
import { sha256 } from "../../../src/lib/sha256.ts";

function tagOf(name: string): Uint8Array {
  return sha256(utf8(name)).subarray(0, TAG_LENGTH);
}

/** Asserts that the table has exactly these tags. */
function assertSame(
  tags: StateTags,
  expected: ReadonlyMap<string, Uint8Array>,
  names: readonly string[],
): void {
  assert.equal(tags.size, expected.size);
  for (const name of names) assert.deepEqual(tags.find(name), expected.get(name), name);
}

/** Returns a repeatable sequence of numbers from 0 to `below - 1`. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

describe("createStateTags()", () => {
  test("finds nothing in an empty table", () => {
    const tags = createStateTags();
    assert.equal(tags.find("service"), undefined);
    tags.delete("service");
    assert.deepEqual([tags.size, tags.encode().length], [0, 0]);
  });

  test("finds the latest tag of an owner, and no other owner's", () => {
    const tags = createStateTags();
    for (const name of ["one", "two"]) tags.set("account_1", tagOf(name));
    tags.set("account_2", tagOf("three"));
    assert.deepEqual(tags.find("account_1"), tagOf("two"));
    assert.deepEqual(tags.find("account_2"), tagOf("three"));
    assert.equal(tags.find("account_3"), undefined);
    assert.equal(tags.size, 2);
  });

  test("takes the first bytes of a tag that is a part of a larger array", () => {
    const tags = createStateTags();
    tags.set("account_1", concat(tagOf("before"), tagOf("tag")).subarray(TAG_LENGTH));
    assert.deepEqual(tags.find("account_1"), tagOf("tag"));
  });

  test("returns copies: a caller that changes one changes no tag", () => {
    const tags = createStateTags();
    tags.set("account_1", tagOf("tag"));
    tags.find("account_1")![0]! ^= 1;
    tags.encode()[12]! ^= 1;
    assert.deepEqual(tags.find("account_1"), tagOf("tag"));
  });

  test("keeps every tag while it grows", () => {
    const tags = createStateTags();
    const names = Array.from({ length: 5000 }, (_, index) => `account_${index}`);
    for (const name of names) tags.set(name, tagOf(name));
    assertSame(tags, new Map(names.map((name) => [name, tagOf(name)])), names);
  });

  for (const [title, names, operations] of [["small", 20, 2000], ["full", 1400, 20_000]] as const) {
    test(`does what a Map does, in random operations on a ${title} table`, () => {
      const next = randomNumbers(names);
      const tags = createStateTags();
      const expected = new Map<string, Uint8Array>();
      const all = Array.from({ length: names }, (_, index) => `account_${index}`);
      for (let operation = 0; operation < operations; operation++) {
        const name = all[next(names)]!;
        if (next(2) === 0) {
          const tag = tagOf(`${name} ${operation}`);
          tags.set(name, tag);
          expected.set(name, tag);
        } else {
          tags.delete(name);
          expected.delete(name);
        }
        const other = all[next(names)]!;
        assert.deepEqual(tags.find(other), expected.get(other));
        if (operation % 1000 === 0) assertSame(tags, expected, all);
      }
      assertSame(tags, expected, all);
      for (const name of all) tags.delete(name);
      assert.deepEqual([tags.size, tags.encode().length], [0, 0]);
    });
  }

  test("reads what encode() returned: 20 bytes for each owner", () => {
    const tags = createStateTags();
    const names = Array.from({ length: 1500 }, (_, index) => `account_${index}`);
    for (const name of names) tags.set(name, tagOf(name));
    for (const name of names.slice(0, 500)) tags.delete(name);
    const encoded = tags.encode();
    assert.equal(encoded.length, 20 * 1000);
    const expected = new Map(names.slice(500).map((name) => [name, tagOf(name)]));
    assertSame(createStateTags(encoded), expected, names);
    const part = concat(new Uint8Array(3), encoded).subarray(3);
    assertSame(createStateTags(part), expected, names);
    assert.deepEqual(createStateTags(createStateTags(encoded).encode()).size, 1000);
  });

  test("ignores a last entry that is not whole", () => {
    const tags = createStateTags();
    tags.set("account_1", tagOf("one"));
    const encoded = tags.encode();
    assertSame(
      createStateTags(concat(encoded, encoded.subarray(0, 19))),
      new Map([["account_1", tagOf("one")]]),
      [
        "account_1",
      ],
    );
    assert.equal(createStateTags(encoded.subarray(0, 19)).size, 0);
  });
});
