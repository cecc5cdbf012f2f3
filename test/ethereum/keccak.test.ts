import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { keccak256 as viemKeccak } from "viem";
import { keccak256 } from "../../src/ethereum/keccak.ts";
import { utf8 } from "../../src/lib/bytes.ts";

describe("keccak256()", () => {
  const published: readonly (readonly [text: string, digest: string])[] = [
    ["", "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"],
    ["abc", "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"],
    ["testing", "5f16f4c7f149ac4f9510d9cf8cf384038ad348b3bcdc01915f95de12df9d1b02"],
  ];
  for (const [text, digest] of published) {
    test(`keccak256() gives the published digest when given ${JSON.stringify(text)}`, () => {
      assert.equal(keccak256(utf8(text)).toHex(), digest);
    });
  }

  test("keccak256() agrees with viem when the length is near a block", () => {
    for (const length of [1, 31, 32, 64, 135, 136, 137, 271, 272, 273]) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 7 + length) & 255);
      assert.equal("0x" + keccak256(bytes).toHex(), viemKeccak(bytes), String(length));
    }
  });
});
