import { utf8 } from "./bytes.ts";

/**
 * QR codes (ISO/IEC 18004) of one size: version 4, error correction level M, byte mode. That is 62 bytes, room for an
 * address as a URI; other sizes would be code that nobody calls.
 */
const VERSION = 4;
/** Modules in each direction. */
export const QR_SIZE = 17 + 4 * VERSION;
/** Table 9: two blocks of 32 data and 18 error-correction codewords each. */
const BLOCKS = 2;
const BLOCK_DATA = 32;
const BLOCK_CHECK = 18;
/** Bytes that fit: the mode and the length take 12 bits. */
export const QR_CAPACITY = BLOCKS * BLOCK_DATA - 2;
/** Table 25: level M. */
const LEVEL = 0b00;

/** Rows of modules, dark ones true. */
export type QrCode = readonly (readonly boolean[])[];

/** Galois field of 256 elements over x^8 + x^4 + x^3 + x^2 + 1 (section 7.5.2), as powers of 2 and their logarithms. */
function fieldTables(): { readonly exp: Uint8Array; readonly log: Uint8Array } {
  const [exp, log] = [new Uint8Array(510), new Uint8Array(256)];
  for (let power = 0, value = 1; power < 255; power++) {
    exp[power] = exp[power + 255] = value;
    log[value] = power;
    value = value & 0x80 ? (value << 1) ^ 0x11d : value << 1;
  }
  return { exp, log };
}

/** The error-correction codewords of a block: the remainder of its division by the generator (section 7.5.2). */
function checkwords(data: Uint8Array): Uint8Array {
  const { exp, log } = fieldTables();
  const times = (one: number, other: number): number =>
    one === 0 || other === 0 ? 0 : exp[log[one]! + log[other]!]!;
  let generator = [1];
  for (let root = 0; root < BLOCK_CHECK; root++) {
    const next = [...generator, 0];
    generator.forEach((factor, index) => next[index + 1]! ^= times(factor, exp[root]!));
    generator = next;
  }
  const remainder = new Uint8Array(data.length + BLOCK_CHECK);
  remainder.set(data);
  for (let index = 0; index < data.length; index++) {
    const lead = remainder[index]!;
    generator.forEach((factor, offset) => remainder[index + offset]! ^= times(factor, lead));
  }
  return remainder.subarray(data.length);
}

/** The data codewords of a text in byte mode with terminator and pads (section 7.4), interleaved with their checkwords. */
function codewords(bytes: Uint8Array): Uint8Array {
  const data = new Uint8Array(BLOCKS * BLOCK_DATA);
  // Everything stands half a byte behind the mode, 0100.
  const nibbles = [
    0b0100,
    bytes.length >> 4,
    bytes.length & 15,
    ...[...bytes].flatMap((byte) => [byte >> 4, byte & 15]),
  ];
  nibbles.forEach((nibble, index) => data[index >> 1]! |= index % 2 === 0 ? nibble << 4 : nibble);
  for (let index = bytes.length + 2, pad = 0xec; index < data.length; index++, pad ^= 0xfd) data[index] = pad;
  const blocks = Array.from(
    { length: BLOCKS },
    (_, block) => data.subarray(block * BLOCK_DATA, (block + 1) * BLOCK_DATA),
  );
  const checks = blocks.map(checkwords);
  const interleave = (parts: readonly Uint8Array[]): number[] =>
    [...parts[0]!].flatMap((_, index) => parts.map((part) => part[index]!));
  return Uint8Array.from([...interleave(blocks), ...interleave(checks)]);
}

type Matrix = (boolean | undefined)[][];

function square(
  matrix: Matrix,
  row: number,
  column: number,
  radius: number,
  isDark: (ring: number) => boolean,
): void {
  for (let down = -radius; down <= radius; down++) {
    for (let right = -radius; right <= radius; right++) {
      const [y, x] = [row + down, column + right];
      if (y < 0 || x < 0 || y >= QR_SIZE || x >= QR_SIZE) continue;
      matrix[y]![x] = isDark(Math.max(Math.abs(down), Math.abs(right)));
    }
  }
}

/**
 * Finder, alignment and timing patterns (sections 6.3.3 to 6.3.6), the dark module, and light ones where the format
 * goes.
 */
function patterns(): Matrix {
  const matrix: Matrix = Array.from(
    { length: QR_SIZE },
    () => new Array<boolean | undefined>(QR_SIZE).fill(undefined),
  );
  const far = QR_SIZE - 4;
  for (const [row, column] of [[3, 3], [3, far], [far, 3]] as const) {
    square(matrix, row, column, 4, (ring) => ring !== 2 && ring !== 4);
  }
  // Annex E: the only alignment pattern of this version has its centre at 26.
  square(matrix, 26, 26, 2, (ring) => ring !== 1);
  for (let index = 8; index < QR_SIZE - 8; index++) matrix[6]![index] = matrix[index]![6] = index % 2 === 0;
  for (const [row, column] of formatPlaces().flat()) matrix[row]![column] = false;
  matrix[QR_SIZE - 8]![8] = true;
  return matrix;
}

type Place = readonly [row: number, column: number];

/** The two places of each format bit, the least significant first (figure 25). */
function formatPlaces(): readonly (readonly [Place, Place])[] {
  return Array.from({ length: 15 }, (_, bit) => {
    const beside: Place = bit === 8 ? [8, 7] : [8, 14 - bit];
    const around: Place = bit < 8 ? [bit < 6 ? bit : bit + 1, 8] : beside;
    const apart: Place = bit < 8 ? [8, QR_SIZE - 1 - bit] : [QR_SIZE - 15 + bit, 8];
    return [around, apart];
  });
}

/** Table 10: which modules of the data each mask turns over. */
const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => ((row >> 1) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => (row * column) % 2 + (row * column) % 3 === 0,
  (row, column) => ((row * column) % 2 + (row * column) % 3) % 2 === 0,
  (row, column) => ((row + column) % 2 + (row * column) % 3) % 2 === 0,
];

/** The places of the data, in their order: two columns at a time, from the right, up and down in turn (section 7.7.3). */
function dataPlaces(matrix: Matrix): readonly Place[] {
  const places: Place[] = [];
  let isUp = true;
  for (let right = QR_SIZE - 1; right > 0; right -= 2, isUp = !isUp) {
    if (right === 6) right = 5;
    for (let step = 0; step < QR_SIZE; step++) {
      const row = isUp ? QR_SIZE - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (matrix[row]![column] === undefined) places.push([row, column]);
      }
    }
  }
  return places;
}

/** Level and mask as 15 bits: BCH (15, 5), and turned over by a fixed pattern (Annex C). */
function formatBits(mask: number): number {
  const value = LEVEL << 3 | mask;
  let remainder = value << 10;
  for (let bit = 14; bit >= 10; bit--) if (remainder >> bit & 1) remainder ^= 0b10100110111 << (bit - 10);
  return (value << 10 | remainder) ^ 0b101010000010010;
}

/** The patterns, and where the data goes between them. */
interface Sheet {
  readonly empty: Matrix;
  readonly places: readonly Place[];
}

function drawn(words: Uint8Array, mask: number, { empty, places }: Sheet): QrCode {
  const matrix = empty.map((row) => [...row]);
  const turns = MASKS[mask]!;
  for (const [index, [row, column]] of places.entries()) {
    // What is left over holds zeros.
    const bit = (words[index >> 3] ?? 0) >> (7 - index % 8) & 1;
    matrix[row]![column] = (bit === 1) !== turns(row, column);
  }
  const format = formatBits(mask);
  for (const [bit, places] of formatPlaces().entries()) {
    for (const [row, column] of places) matrix[row]![column] = (format >> bit & 1) === 1;
  }
  return matrix as boolean[][];
}

/** How hard it is to read (section 7.8.3): long runs, blocks of 2 by 2, what looks like a finder, too much of one kind. */
function penalty(code: QrCode): number {
  const lines = [...code, ...code.map((_, column) => code.map((row) => row[column]!))]
    .map((line) => line.map((isDark) => isDark ? "1" : "0").join(""));
  const runs = lines.flatMap((line) => line.match(/0{5,}|1{5,}/g) ?? []);
  const finders = lines.flatMap((line) => [...line.matchAll(/(?=00001011101|10111010000)/g)]);
  let blocks = 0;
  for (let row = 1; row < QR_SIZE; row++) {
    for (let column = 1; column < QR_SIZE; column++) {
      const kind = code[row]![column];
      const isBlock = [code[row - 1]![column], code[row]![column - 1], code[row - 1]![column - 1]].every((
        one,
      ) => one === kind);
      if (isBlock) blocks++;
    }
  }
  const dark = code.flat().filter((isDark) => isDark).length * 100 / (QR_SIZE * QR_SIZE);
  return runs.reduce((sum, run) => sum + run.length - 2, 0) + 3 * blocks + 40 * finders.length +
    10 * Math.floor(Math.abs(dark - 50) / 5);
}

/** The QR code of a text. Throws RangeError beyond `QR_CAPACITY` bytes of UTF-8. */
export function qrCode(text: string): QrCode {
  const bytes = utf8(text);
  if (bytes.length > QR_CAPACITY) throw new RangeError("Cannot draw QR code: the text is too long");
  const words = codewords(bytes);
  const empty = patterns();
  const sheet = { empty, places: dataPlaces(empty) };
  const codes = MASKS.map((_, mask) => drawn(words, mask, sheet));
  const marks = codes.map(penalty);
  return codes[marks.indexOf(Math.min(...marks))]!;
}
