import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readAttribution } from "../../src/clear-signing/attribution.ts";

describe("readAttribution()", () => {
  test("readAttribution() reads a suffix of ERC-8021, schema 0, and nothing else", () => {
    const marker = "8021".repeat(8);
    // The example of the standard's text: the codes "baseapp" and "morpho".
    const suffix = `0x626173656170702c6d6f7270686f0e00${marker}`;
    assert.equal(readAttribution(suffix), "baseapp,morpho");
    assert.equal(readAttribution(`0x00${suffix.slice(2)}`), undefined, "a byte before the codes");
    assert.equal(readAttribution(suffix.slice(0, -2)), undefined, "half a marker");
    assert.equal(readAttribution(suffix.replace("0e00", "0e01")), undefined, "another schema");
    assert.equal(readAttribution(`0xff0100${marker}`), undefined, "codes that are no text");
    assert.equal(readAttribution(`0x00${marker}`), undefined, "no length");
    assert.equal(readAttribution("0x"), undefined);
  });
});
