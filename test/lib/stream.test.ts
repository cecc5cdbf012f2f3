import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isTooFine } from "../../src/lib/stream.ts";

describe("isTooFine()", () => {
  test("isTooFine() is for many pieces that bring less than 128 bytes each beyond the first 256", () => {
    assert.equal(isTooFine(256, 0), false);
    assert.equal(isTooFine(257, 127), true);
    assert.equal(isTooFine(257, 128), false);
    assert.equal(isTooFine(1256, 127_999), true);
    assert.equal(isTooFine(1256, 128_000), false);
  });
});
