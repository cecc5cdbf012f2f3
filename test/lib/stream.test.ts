import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hasTooManySmallChunks } from "../../src/lib/stream.ts";

describe("hasTooManySmallChunks()", () => {
  test("hasTooManySmallChunks() is true for many chunks with less than 128 bytes each after the first 256", () => {
    assert.equal(hasTooManySmallChunks(256, 0), false);
    assert.equal(hasTooManySmallChunks(257, 127), true);
    assert.equal(hasTooManySmallChunks(257, 128), false);
    assert.equal(hasTooManySmallChunks(1256, 127_999), true);
    assert.equal(hasTooManySmallChunks(1256, 128_000), false);
  });
});
