import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createBoundedSet } from "../../src/store/spent-rows.ts";
import type { BoundedSet } from "../../src/store/spent-rows.ts";

describe("createBoundedSet()", () => {
  /** Returns the names that the set contains. */
  function kept(names: BoundedSet, all: string): string {
    return [...all].filter((name) => names.sequenceOf(name) !== undefined).join("");
  }

  test("keeps the latest names, and evicts the oldest for each new one", () => {
    const names = createBoundedSet(3);
    for (const name of "abcde") names.add(name);
    assert.equal(kept(names, "abcde"), "cde");
  });

  test("does not move a name that is already in it", () => {
    const names = createBoundedSet(3);
    for (const name of "abcad") names.add(name);
    assert.equal(kept(names, "abcd"), "bcd");
  });

  test("removes a deleted name, and evicts no other", () => {
    const names = createBoundedSet(3);
    for (const name of "abc") names.add(name);
    names.delete("b");
    names.delete("z");
    assert.equal(kept(names, "abc"), "ac");
  });

  test("keeps a deleted and added name at its new place", () => {
    const names = createBoundedSet(3);
    for (const name of "ab") names.add(name);
    names.delete("a");
    for (const name of "ac") names.add(name);
    assert.equal(kept(names, "abc"), "abc");
    names.add("d");
    assert.equal(kept(names, "abcd"), "acd");
  });

  test("reuses its space many times", () => {
    const names = createBoundedSet(100);
    for (let number = 0; number < 1050; number++) names.add(String(number));
    const there = Array.from({ length: 1050 }, (_, number) => number).filter((number) =>
      names.sequenceOf(String(number)) !== undefined
    );
    assert.deepEqual([there[0], there.length], [950, 100]);
  });

  test("returns the sequence number of a name, and the total, independent of evictions", () => {
    const names = createBoundedSet(3);
    for (const name of "abcade") names.add(name);
    names.delete("d");
    assert.deepEqual([..."abcde"].map((name) => names.sequenceOf(name)), [
      undefined,
      undefined,
      2,
      undefined,
      4,
    ]);
    assert.equal(names.count(), 5);
    names.add("d");
    assert.equal(names.sequenceOf("d"), 5);
  });
});
