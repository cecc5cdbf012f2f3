import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { QR_CAPACITY, QR_SIZE, qrCode } from "../../src/lib/qr.ts";
import type { QrCode } from "../../src/lib/qr.ts";

const ADDRESS = "ethereum:0x9858EfFD232B4033E47d90003D41EC34EcaEda94";

/** Multiplication in the field of ISO/IEC 18004 section 7.5.2, by shifting. */
function times(one: number, other: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ (product & 0x80 ? 0x11d : 0);
    if (other >> bit & 1) product ^= one;
  }
  return product;
}

/**
 * The format's 15 bits beside the upper left finder, as a reader takes them: row 8 from the left, then column 8
 * upwards.
 */
function readFormat(code: QrCode): number {
  const row = [0, 1, 2, 3, 4, 5, 7, 8].map((column) => code[8]![column]!);
  const column = [7, 5, 4, 3, 2, 1, 0].map((row) => code[row]![8]!);
  return [...row, ...column].reduce((bits, isDark) => bits << 1 | Number(isDark), 0);
}

/** Table C.1, level M: what a reader finds for each mask. */
const FORMATS = [0x5412, 0x5125, 0x5e7c, 0x5b4b, 0x45f9, 0x40ce, 0x4f97, 0x4aa0];

/** Whether a module of version 4 belongs to no data. */
function isFunction(row: number, column: number): boolean {
  const isCorner = (row < 9 && (column < 9 || column >= 25)) || (row >= 25 && column < 9);
  const isAlignment = row >= 24 && row <= 28 && column >= 24 && column <= 28;
  return isCorner || isAlignment || row === 6 || column === 6;
}

const UNMASK = [
  (y: number, x: number) => (y + x) % 2,
  (y: number) => y % 2,
  (_: number, x: number) => x % 3,
  (y: number, x: number) => (y + x) % 3,
  (y: number, x: number) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2,
  (y: number, x: number) => ((y * x) % 2) + ((y * x) % 3),
  (y: number, x: number) => (((y * x) % 2) + ((y * x) % 3)) % 2,
  (y: number, x: number) => (((y + x) % 2) + ((y * x) % 3)) % 2,
];

/** Reads a code as the standard's section 11 does, without mending anything. */
function read(code: QrCode): { readonly text: string; readonly blocks: readonly (readonly number[])[] } {
  const mask = FORMATS.indexOf(readFormat(code));
  assert.ok(mask >= 0, "the format is one of level M");
  const bits: number[] = [];
  for (let pair = 0; pair < 16; pair++) {
    const right = pair < 13 ? 32 - 2 * pair : 31 - 2 * pair;
    for (let step = 0; step < QR_SIZE; step++) {
      const y = pair % 2 === 0 ? 32 - step : step;
      for (const x of [right, right - 1]) {
        if (!isFunction(y, x)) bits.push(Number(code[y]![x]!) ^ Number(UNMASK[mask]!(y, x) === 0));
      }
    }
  }
  const words = Array.from(
    { length: 100 },
    (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8).join(""), 2),
  );
  const blocks = [0, 1].map((block) => words.filter((_, at) => at % 2 === block));
  const data = blocks.flatMap((block) => block.slice(0, 32).map((word) => word.toString(2).padStart(8, "0")))
    .join("");
  assert.equal(data.slice(0, 4), "0100", "byte mode");
  const length = Number.parseInt(data.slice(4, 12), 2);
  const bytes = Array.from({ length }, (_, at) => Number.parseInt(data.slice(12 + at * 8, 20 + at * 8), 2));
  return { text: new TextDecoder().decode(Uint8Array.from(bytes)), blocks };
}

describe("qrCode()", () => {
  for (const text of [ADDRESS, "", "é", "x".repeat(QR_CAPACITY)]) {
    test(`is read as ${JSON.stringify(text)}, with no error to mend`, () => {
      const code = qrCode(text);
      const found = read(code);
      assert.equal(found.text, text);
      for (const block of found.blocks) {
        // A codeword is a multiple of the generator: it vanishes at its roots (section 7.5.2).
        for (let root = 0, at = 1; root < 18; root++, at = times(at, 2)) {
          assert.equal(block.reduce((sum, word) => times(sum, at) ^ word, 0), 0, `root ${root}`);
        }
      }
    });
  }

  test("has its finders, its timing and its dark module (section 6.3)", () => {
    const code = qrCode(ADDRESS);
    const finder = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"];
    for (const [y, x] of [[0, 0], [0, 26], [26, 0]] as const) {
      const found = finder.map((_, row) =>
        code[y + row]!.slice(x, x + 7).map((isDark) => isDark ? "1" : "0").join("")
      );
      assert.deepEqual(found, finder);
    }
    for (let at = 8; at < 25; at++) {
      assert.deepEqual([code[6]![at], code[at]![6]], [at % 2 === 0, at % 2 === 0]);
    }
    assert.equal(code[25]![8], true);
    assert.equal(code[26]![26], true);
  });

  test("has the format twice (figure 25)", () => {
    const code = qrCode(ADDRESS);
    const apart = [
      ...[32, 31, 30, 29, 28, 27, 26].map((row) => code[row]![8]!),
      ...[25, 26, 27, 28, 29, 30, 31, 32].map((column) => code[8]![column]!),
    ].reduce((bits, isDark) => bits << 1 | Number(isDark), 0);
    assert.equal(apart, readFormat(code));
  });

  test("throws RangeError for more than fits", () => {
    assert.throws(() => qrCode("x".repeat(QR_CAPACITY + 1)), RangeError);
  });
});
