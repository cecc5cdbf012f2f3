import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { numberToHex, toRlp } from "viem";
import {
  decodeRlp,
  encodeRlp,
  itemsOf,
  nextItem,
  RlpError,
  type RlpInput,
  type RlpItem,
} from "../../../src/ethereum/transaction/rlp.ts";
import { fromHex } from "../../../src/lib/bytes.ts";
import { readVectors } from "./vectors.ts";
import { runs, runsOf } from "../../support/share.ts";

type Tree = `0x${string}` | readonly Tree[];

function toInput(tree: Tree): RlpInput {
  return typeof tree === "string" ? fromHex(tree)! : tree.map(toInput);
}

/** Decodes an item with all its items. */
function toTree(item: RlpItem): Tree {
  if (item.kind === "bytes") return `0x${item.content.toHex()}`;
  const cursor = itemsOf(item);
  const items: Tree[] = [];
  for (let next = nextItem(cursor); next !== undefined; next = nextItem(cursor)) items.push(toTree(next));
  return items;
}

function decode(hex: string): Tree {
  return toTree(decodeRlp(Uint8Array.fromHex(hex)));
}

const TREES = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.uint8Array({ maxLength: 70 }).map((bytes): Tree => `0x${bytes.toHex()}`),
    fc.array(tie("tree"), { maxLength: 6 }),
  ),
})).tree;

describe("encodeRlp() and decodeRlp()", () => {
  test("agree with the 61 published examples, both ways", () => {
    const vectors = readVectors<{ readonly decoded: Tree; readonly encoded: `0x${string}` }>("rlp-coder");
    assert.equal(vectors.length, 61);
    for (const { decoded, encoded } of vectors) {
      assert.equal("0x" + encodeRlp(toInput(decoded)).toHex(), encoded);
      assert.deepEqual(decode(encoded.slice(2)), decoded);
    }
  });

  test("agree with viem on 3,000 random trees, both ways", () => {
    fc.assert(
      fc.property(TREES, (tree) => {
        const encoded = encodeRlp(toInput(tree)).toHex();
        assert.equal("0x" + encoded, toRlp(tree as never));
        assert.deepEqual(decode(encoded), tree);
      }),
      runs(3_000, 191),
    );
  });

  test("agree with viem at lengths where the header grows", () => {
    for (const length of [0, 1, 55, 56, 255, 256, 65_535, 65_536, 300_000]) {
      const content = new Uint8Array(length).fill(0xab);
      for (const input of [content, [content], [[content], content]]) {
        const encoded = encodeRlp(input);
        assert.equal("0x" + encoded.toHex(), toRlp(input as never));
        assert.deepEqual(toInput(toTree(decodeRlp(encoded))), input);
      }
    }
  });

  test("encodeRlp() encodes an integer as its bytes without leading zeros", () => {
    const integers = [
      0n,
      1n,
      0x7fn,
      0x80n,
      0xffn,
      0x100n,
      2n ** 32n,
      2n ** 53n - 1n,
      2n ** 53n,
      2n ** 256n - 1n,
    ];
    // The last integer has more bytes than a short header allows. No transaction has such an integer.
    for (const integer of [...integers, 2n ** 600n]) {
      const hex = integer === 0n ? "" : integer.toString(16);
      const bytes = Uint8Array.fromHex(hex.padStart(hex.length + hex.length % 2, "0"));
      assert.deepEqual(encodeRlp(integer), encodeRlp(bytes), String(integer));
      assert.deepEqual(encodeRlp([integer, [integer]]), encodeRlp([bytes, [bytes]]), String(integer));
    }
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }), (integer) => {
        assert.equal("0x" + encodeRlp(integer).toHex(), toRlp(numberToHex(integer)));
      }),
      runs(1_000, 55),
    );
  });

  test("encodeRlp() throws for a negative integer", () => {
    assert.throws(() => encodeRlp([-1n]), RangeError);
  });

  test("encodeRlp() puts the first bytes before the encoding", () => {
    assert.equal(encodeRlp([], Uint8Array.of(2, 3)).toHex(), "0203c0");
  });

  test("decodeRlp() accepts canonical encodings only: every decoded item encodes to the same bytes", () => {
    const counts = { taken: 0, refused: 0 };
    const mutated = fc.tuple(TREES, fc.nat(200), fc.nat(255), fc.integer({ min: -2, max: 2 }));
    fc.assert(
      fc.property(mutated, ([tree, place, byte, more]) => {
        const encoded = encodeRlp(toInput(tree));
        const mutant = new Uint8Array(Math.max(0, encoded.length + more));
        mutant.set(encoded.subarray(0, mutant.length));
        if (mutant.length > 0) mutant[place % mutant.length] = byte;
        let taken: Tree;
        try {
          taken = toTree(decodeRlp(mutant));
        } catch (error) {
          assert.ok(error instanceof RlpError, String(error));
          counts.refused++;
          return;
        }
        assert.deepEqual(encodeRlp(toInput(taken)), mutant);
        counts.taken++;
      }),
      runs(5_000, 2718),
    );
    assert.ok(counts.taken > runsOf(500) && counts.refused > runsOf(500), JSON.stringify(counts));
  });
});

const REFUSED: readonly (readonly [what: string, hex: string, message: RegExp])[] = [
  ["there are no bytes", "", /^There are no bytes$/],
  ["bytes are left over behind a byte", "0000", /^Bytes are left over: 1 behind the first item$/],
  ["bytes are left over behind a list", "c0c0", /^Bytes are left over: 1/],
  ["bytes end before the content does", "83aabb", /^The bytes end before an item does$/],
  ["a list ends before its content does", "c3aa", /^The bytes end before an item does$/],
  ["a long content is cut off", "b838" + "aa".repeat(55), /^The bytes end before an item does$/],
  ["a length is cut off", "b9", /^The bytes end inside a length$/],
  ["a list's length is cut off", "f901", /^The bytes end inside a length$/],
  [
    "a length of eight bytes is too large",
    "bf" + "ff".repeat(8),
    /^The bytes end before an item does$/,
  ],
  ["a list's length of eight bytes is, too", "ff" + "ff".repeat(8), /^The bytes end before an item does$/],
  ["a single byte below 0x80 has a header", "8100", /^A single byte below 0x80 has a header/],
  ["the same, at its edge", "817f", /^A single byte below 0x80 has a header/],
  [
    "a length of up to 55 is in the long form",
    "b837" + "aa".repeat(55),
    /^A short length is written in the long form$/,
  ],
  ["a list's length is, too", "f800", /^A length begins with a zero byte$/],
  ["a length begins with a zero byte", "b90038" + "aa".repeat(56), /^A length begins with a zero byte$/],
  ["a list's length does, too", "f90038" + "aa".repeat(56), /^A length begins with a zero byte$/],
  ["an item inside a list is not canonical", "c28100", /^A single byte below 0x80 has a header/],
  ["an item inside a list is longer than the list", "c283aa", /^The bytes end before an item does$/],
];

describe("decodeRlp() refuses", () => {
  for (const [what, hex, message] of REFUSED) {
    test(`decodeRlp() throws its coded error when ${what}`, () => {
      assert.throws(() => decode(hex), (error) => {
        assert.ok(error instanceof RlpError, String(error));
        assert.equal(error.code, "malformed_rlp");
        assert.match(error.message, message);
        return true;
      });
    });
  }

  test("decodeRlp() accepts the byte 0x80 and beyond only with a header", () => {
    assert.deepEqual(decode("8180"), "0x80");
    assert.deepEqual(decode("80"), "0x");
  });
});
