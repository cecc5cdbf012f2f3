import { sha256 } from "@noble/hashes/sha2.js";
import { utf8 } from "../../lib/bytes.ts";
import { type Html, html } from "../../lib/html.ts";

/** Inks that can be told apart on the grounds below, in both colour schemes. */
const INKS = [
  "#0f6b5c",
  "#1d5fa8",
  "#7a3fa0",
  "#a3315b",
  "#a8481a",
  "#7a6a00",
  "#3c7a1e",
  "#475569",
] as const;
const GROUNDS = [
  "#d7efe8",
  "#dbe8f8",
  "#ecdff5",
  "#f8dde6",
  "#f9e3d5",
  "#f3eec9",
  "#e0f0d5",
  "#e4e9ee",
] as const;

/** Tiles in each direction; the right half mirrors the left one. */
const SIZE = 6;

/** The shapes of a tile of 2 by 2, as paths relative to its upper left corner. */
const SHAPES = [
  "h2v2h-2z",
  "h2a2 2 0 0 1-2 2z",
  "v2h2a2 2 0 0 0-2-2z",
  "m2 0v2h-2a2 2 0 0 1 2-2z",
  "m2 2h-2v-2a2 2 0 0 0 2 2z",
  "m1 0l1 1-1 1-1-1z",
] as const;

/** The index of each shape's mirror image. */
const MIRRORED = [0, 4, 3, 2, 1, 5] as const;

/** Draws all tiles of one ink as one path. The 18 bytes stand for the tiles of the left half. */
function tiles(bytes: Uint8Array, ink: "first" | "second"): string {
  const parts: string[] = [];
  for (let row = 0; row < SIZE; row++) {
    for (let column = 0; column < SIZE / 2; column++) {
      const byte = bytes[row * (SIZE / 2) + column]!;
      // A quarter of the tiles stay empty.
      if (byte % 4 === 0 || (byte % 4 === 1 ? "second" : "first") !== ink) continue;
      const shape = (byte >> 2) % SHAPES.length;
      parts.push(`M${column * 2} ${row * 2}${SHAPES[shape]}`);
      parts.push(`M${(SIZE - 1 - column) * 2} ${row * 2}${SHAPES[MIRRORED[shape]!]}`);
    }
  }
  return parts.join("");
}

/**
 * Draws the picture of an address, always the same, as SVG of attributes alone. Show the address beside it: an
 * attacker can search for another address with the same picture. `size` is its width in CSS pixels.
 */
export function identicon(address: string, size: number): Html {
  const hash = sha256(utf8(address.toLowerCase()));
  const [first, rotation, ground] = [hash[0]! % 8, 1 + hash[1]! % 7, hash[2]! % 8];
  const bytes = hash.subarray(4, 4 + SIZE * SIZE / 2);
  return html`
    <svg class="identicon" viewBox="-1 -1 14 14" width="${size}" height="${size}" aria-hidden="true"
      focusable="false">
      <path fill="${GROUNDS[ground]!}" d="M-1-1h14v14h-14z" />
      <path fill="${INKS[
        first
      ]!}" d="${tiles(bytes, "first")}" />
      <path fill="${INKS[(first + rotation) % 8]!}" d="${tiles(bytes, "second")}" />
    </svg>
  `;
}
