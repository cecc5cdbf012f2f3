import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { keccak256 } from "../../src/ethereum/keccak.ts";
import { utf8 } from "../../src/lib/bytes.ts";

describe("keccak256()", () => {
  const published: readonly (readonly [text: string, digest: string])[] = [
    ["", "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"],
    ["abc", "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"],
    ["testing", "5f16f4c7f149ac4f9510d9cf8cf384038ad348b3bcdc01915f95de12df9d1b02"],
  ];
  for (const [text, digest] of published) {
    test(`keccak256() returns the published digest when given ${JSON.stringify(text)}`, () => {
      assert.equal(keccak256(utf8(text)).toHex(), digest);
    });
  }

  test("keccak256() equals noble's own when the length is anything up to four blocks", () => {
    for (let length = 0; length <= 4 * 136 + 1; length++) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 167 + length * 13) & 255);
      assert.deepEqual(keccak256(bytes), keccak_256(bytes), String(length));
    }
  });

  test("keccak256() equals noble's own when the input is a view at any offset, and does not change it", () => {
    const whole = Uint8Array.from({ length: 400 }, (_, index) => 255 - (index & 255));
    const before = whole.slice();
    for (let offset = 0; offset < 9; offset++) {
      for (const length of [0, 1, 2, 3, 5, 134, 135, 136, 137, 300]) {
        const view = whole.subarray(offset, offset + length);
        assert.deepEqual(keccak256(view), keccak_256(view.slice()), `${offset} ${length}`);
      }
    }
    assert.deepEqual(whole, before);
  });

  test("keccak256() equals noble's own when the input is a megabyte", () => {
    const bytes = Uint8Array.from({ length: 1_048_577 }, (_, index) => index % 251);
    assert.deepEqual(keccak256(bytes), keccak_256(bytes));
  });
});
