import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { holdKey } from "../../src/tee/held-sealing-key.ts";

describe("holdKey()", () => {
  test("returns copies until it is cleared, and then wipes the key", () => {
    const key = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
    const expected = key.slice();
    const held = holdKey(key);
    held.copy().fill(0);
    const copy = held.copy();
    assert.deepEqual(copy, expected);
    held.forget();
    assert.deepEqual(key, new Uint8Array(32));
    assert.deepEqual(copy, expected);
    assert.throws(() => held.copy(), /it was forgotten/);
    held.forget();
  });
});
