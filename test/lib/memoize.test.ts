import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memoize } from "../../src/lib/memoize.ts";

describe("memoize()", () => {
  test("computes each value once, under its own key", () => {
    const cache = new Map<string, string>();
    const made: string[] = [];
    const upper = (key: string) => memoize(cache, key, 2, (text) => (made.push(text), text.toUpperCase()));
    assert.deepEqual(["a", "b", "a", "b"].map(upper), ["A", "B", "A", "B"]);
    assert.deepEqual(made, ["a", "b"]);
  });

  test("clears the cache when it is full, and never exceeds its size", () => {
    const cache = new Map<number, string>();
    for (let key = 0; key < 10; key++) {
      assert.equal(memoize(cache, key, 3, String), String(key));
      assert.ok(cache.size <= 3);
    }
    assert.deepEqual([...cache.keys()], [9]);
  });

  test("caches nothing if the computation throws", () => {
    const cache = new Map<string, string>();
    const fail = (): never => {
      throw new RangeError("no");
    };
    assert.throws(() => memoize(cache, "a", 2, fail), RangeError);
    assert.equal(cache.size, 0);
    assert.equal(memoize(cache, "a", 2, () => "made"), "made");
  });
});
