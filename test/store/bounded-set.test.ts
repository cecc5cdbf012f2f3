import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { latestNames } from "../../src/store/spent-rows.ts";
import type { LatestNames } from "../../src/store/spent-rows.ts";

describe("latestNames()", () => {
  /** Returns those of the names that the set contains. */
  function kept(names: LatestNames, all: string): string {
    return [...all].filter((name) => names.placeOf(name) !== undefined).join("");
  }

  test("keeps the latest, and forgets the oldest for each that comes", () => {
    const names = latestNames(3);
    for (const name of "abcde") names.add(name);
    assert.equal(kept(names, "abcde"), "cde");
  });

  test("leaves a name that is there where it is", () => {
    const names = latestNames(3);
    for (const name of "abcad") names.add(name);
    assert.equal(kept(names, "abcd"), "bcd");
  });

  test("forgets what is deleted, and nothing else for it", () => {
    const names = latestNames(3);
    for (const name of "abc") names.add(name);
    names.delete("b");
    names.delete("z");
    assert.equal(kept(names, "abc"), "ac");
  });

  test("keeps a name that was deleted and came again as one that came then", () => {
    const names = latestNames(3);
    for (const name of "ab") names.add(name);
    names.delete("a");
    for (const name of "ac") names.add(name);
    assert.equal(kept(names, "abc"), "abc");
    names.add("d");
    assert.equal(kept(names, "abcd"), "acd");
  });

  test("gives its room to others many times over", () => {
    const names = latestNames(100);
    for (let number = 0; number < 1050; number++) names.add(String(number));
    const there = Array.from({ length: 1050 }, (_, number) => number).filter((number) =>
      names.placeOf(String(number)) !== undefined
    );
    assert.deepEqual([there[0], there.length], [950, 100]);
  });

  test("says how many had come before a name, and how many have come, whatever is gone by then", () => {
    const names = latestNames(3);
    for (const name of "abcade") names.add(name);
    names.delete("d");
    assert.deepEqual([..."abcde"].map((name) => names.placeOf(name)), [
      undefined,
      undefined,
      2,
      undefined,
      4,
    ]);
    assert.equal(names.count(), 5);
    names.add("d");
    assert.equal(names.placeOf("d"), 5);
  });
});
