import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { latestNames } from "../../src/lib/latest-names.ts";

describe("latestNames()", () => {
  /** Of these names those that are there. */
  function kept(names: { has(name: string): boolean }, all: string): string {
    return [...all].filter((name) => names.has(name)).join("");
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
      names.has(String(number))
    );
    assert.deepEqual([there[0], there.length], [950, 100]);
  });
});
