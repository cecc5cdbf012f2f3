import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { holdKey } from "../../src/tee/held-sealing-key.ts";

describe("holdKey()", () => {
  test("gives copies until it is told to forget the key, and wipes it then", () => {
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
