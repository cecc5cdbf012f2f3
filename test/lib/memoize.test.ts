import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { recall } from "../../src/lib/memoize.ts";

describe("recall()", () => {
  test("makes each value once, under its own key", () => {
    const kept = new Map<string, string>();
    const made: string[] = [];
    const upper = (key: string) => recall(kept, key, 2, (text) => (made.push(text), text.toUpperCase()));
    assert.deepEqual(["a", "b", "a", "b"].map(upper), ["A", "B", "A", "B"]);
    assert.deepEqual(made, ["a", "b"]);
  });

  test("forgets all when it is full, and never has more", () => {
    const kept = new Map<number, string>();
    for (let key = 0; key < 10; key++) {
      assert.equal(recall(kept, key, 3, String), String(key));
      assert.ok(kept.size <= 3);
    }
    assert.deepEqual([...kept.keys()], [9]);
  });

  test("keeps nothing of what could not be made", () => {
    const kept = new Map<string, string>();
    const fail = (): never => {
      throw new RangeError("no");
    };
    assert.throws(() => recall(kept, "a", 2, fail), RangeError);
    assert.equal(kept.size, 0);
    assert.equal(recall(kept, "a", 2, () => "made"), "made");
  });
});
