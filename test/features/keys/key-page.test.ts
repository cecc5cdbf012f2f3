import assert from "node:assert/strict";
import { describe, test } from "node:test";
import jsQR from "jsqr";
import { qrPicture } from "../../../src/features/keys/key-page.ts";

const ADDRESS = "ethereum:0x9858EfFD232B4033E47d90003D41EC34EcaEda94";

/** The pixels of a module. */
const SCALE = 4;

interface Picture {
  /** The modules of a side, including the quiet zone. */
  readonly side: number;
  /** The dark runs, each within a row. */
  readonly runs: readonly { readonly x: number; readonly y: number; readonly length: number }[];
}

function readPicture(svg: string): Picture {
  const side = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
  const path = /<path fill="#000" d="([^"]*)"/.exec(svg)?.[1] ?? "";
  const runs = [...path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g)]
    .map(([, x, y, length]) => ({ x: Number(x), y: Number(y), length: Number(length) }));
  assert.equal(runs.map(({ x, y, length }) => `M${x} ${y}h${length}v1h-${length}z`).join(""), path);
  return { side, runs };
}

/** Paints a picture as RGBA. */
function paint({ side, runs }: Picture): { readonly pixels: Uint8ClampedArray; readonly width: number } {
  const width = side * SCALE;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const { x, y, length } of runs) {
    for (let row = y * SCALE; row < (y + 1) * SCALE; row++) {
      for (let column = x * SCALE; column < (x + length) * SCALE; column++) {
        pixels.fill(0, (row * width + column) * 4, (row * width + column) * 4 + 3);
      }
    }
  }
  return { pixels, width };
}

describe("qrPicture()", () => {
  for (const text of [ADDRESS, "é", "x".repeat(62)]) {
    test(`draws ${JSON.stringify(text)} so that another library can read it`, () => {
      const { pixels, width } = paint(readPicture(qrPicture(text, "Code").toString()));
      assert.equal(jsQR(pixels, width, width)?.data, text);
    });
  }

  test("draws an address as version 4 with a quiet zone of four modules (ISO/IEC 18004 section 6.3.8)", () => {
    const { side, runs } = readPicture(qrPicture(ADDRESS, "Code").toString());
    assert.equal(side, 33 + 2 * 4);
    assert.equal(Math.min(...runs.map(({ x }) => x)), 4);
    assert.equal(Math.max(...runs.map(({ x, length }) => x + length)), side - 4);
    assert.equal(Math.min(...runs.map(({ y }) => y)), 4);
    assert.equal(Math.max(...runs.map(({ y }) => y)), side - 5);
  });

  test("draws error correction level M (ISO/IEC 18004 table 25)", () => {
    const { runs } = readPicture(qrPicture(ADDRESS, "Code").toString());
    const isDark = (x: number, y: number): boolean =>
      runs.some((run) => run.y === y + 4 && run.x <= x + 4 && x + 4 < run.x + run.length);
    // The first two bits of the format. The mask 10 of section 7.9 turns the 00 of level M into 10.
    assert.deepEqual([isDark(0, 8), isDark(1, 8)], [true, false]);
  });

  test("names the picture for screen readers, escaped", () => {
    assert.match(qrPicture("x", 'a "code"').toString(), /role="img" aria-label="a &quot;code&quot;"/);
  });
});
