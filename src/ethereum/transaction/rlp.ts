/** Bytes, a list, or an integer without leading zeros (Yellow Paper, appendix B). A negative one throws RangeError. */
export type RlpInput = Uint8Array | bigint | readonly RlpInput[];

/** One encoded item. The content of a list is its items, concatenated and still encoded. */
export interface RlpItem {
  readonly kind: "bytes" | "list";
  readonly content: Uint8Array;
}

/** A position between the items of a list. */
export interface RlpCursor {
  readonly bytes: Uint8Array;
  offset: number;
}

/** Thrown for bytes that are not RLP, or not in its canonical form. */
export class RlpError extends Error {
  readonly code = "malformed_rlp";

  constructor(message: string) {
    super(message);
    this.name = "RlpError";
  }
}

/** The first byte of an empty byte string, and of an empty list. */
const BYTES = 0x80;
const LIST = 0xc0;
/** The largest integer up to which a double is exact. */
const MOST_EXACT = BigInt(Number.MAX_SAFE_INTEGER);
/** The longest content whose length fits the first byte. */
const SHORT = 55;

/** Encodes the input after the given first bytes. Does not limit the size. */
export function encodeRlp(input: RlpInput, lead: Uint8Array = new Uint8Array(0)): Uint8Array<ArrayBuffer> {
  const target = new Uint8Array(lead.length + encodedLength(input));
  target.set(lead);
  write(target, lead.length, input);
  return target;
}

function encodedLength(input: RlpInput): number {
  if (isItsOwnEncoding(input)) return 1;
  const length = contentLength(input);
  return 1 + lengthBytes(length) + length;
}

function isItsOwnEncoding(input: RlpInput): boolean {
  if (typeof input === "bigint") return input > 0n && input < BYTES;
  return input instanceof Uint8Array && input.length === 1 && input[0]! < BYTES;
}

function contentLength(input: RlpInput): number {
  if (typeof input === "bigint") return integerLength(input);
  if (input instanceof Uint8Array) return input.length;
  let length = 0;
  for (const item of input) length += encodedLength(item);
  return length;
}

/** Counts the bytes of an integer. Most fit a double, in which counting allocates nothing. */
function integerLength(value: bigint): number {
  if (value < 0n) throw new RangeError("Cannot encode integer: below zero");
  if (value > MOST_EXACT) return Math.ceil(value.toString(16).length / 2);
  let length = 0;
  for (let rest = Number(value); rest > 0; rest = Math.floor(rest / 256)) length++;
  return length;
}

function lengthBytes(length: number): number {
  return length <= SHORT ? 0 : integerLength(BigInt(length));
}

/** Writes the encoding at the offset and returns the offset after it. */
function write(target: Uint8Array, offset: number, input: RlpInput): number {
  const isBytes = typeof input === "bigint" || input instanceof Uint8Array;
  const start = isItsOwnEncoding(input)
    ? offset
    : writeHeader(target, offset, isBytes ? BYTES : LIST, contentLength(input));
  if (typeof input === "bigint") return writeInteger(target, start, input);
  if (input instanceof Uint8Array) {
    target.set(input, start);
    return start + input.length;
  }
  let end = start;
  for (const item of input) end = write(target, end, item);
  return end;
}

function writeInteger(target: Uint8Array, offset: number, value: bigint): number {
  const end = offset + integerLength(value);
  if (value > MOST_EXACT) {
    target.set(Uint8Array.fromHex(value.toString(16).padStart(2 * (end - offset), "0")), offset);
    return end;
  }
  for (let at = end - 1, rest = Number(value); at >= offset; at--, rest = Math.floor(rest / 256)) {
    target[at] = rest % 256;
  }
  return end;
}

function writeHeader(target: Uint8Array, offset: number, kind: number, length: number): number {
  const count = lengthBytes(length);
  if (count === 0) {
    target[offset] = kind + length;
    return offset + 1;
  }
  target[offset] = kind + SHORT + count;
  return writeInteger(target, offset + 1, BigInt(length));
}

/**
 * Decodes one item, but not the items of a list. Throws RlpError for truncated or trailing bytes, a length longer than
 * necessary, and a single byte below 0x80 with a header.
 */
export function decodeRlp(bytes: Uint8Array): RlpItem {
  const cursor = { bytes, offset: 0 };
  const item = nextItem(cursor);
  if (item === undefined) throw new RlpError("There are no bytes");
  if (cursor.offset < bytes.length) {
    throw new RlpError(`Bytes are left over: ${bytes.length - cursor.offset} behind the first item`);
  }
  return item;
}

export function itemsOf(list: RlpItem): RlpCursor {
  return { bytes: list.content, offset: 0 };
}

/** Returns the item after the cursor and advances it; undefined at the end. Throws RlpError as `decodeRlp` does. */
export function nextItem(cursor: RlpCursor): RlpItem | undefined {
  const { bytes, offset } = cursor;
  const first = bytes[offset];
  if (first === undefined) return undefined;
  if (first < BYTES) {
    cursor.offset = offset + 1;
    return { kind: "bytes", content: bytes.subarray(offset, offset + 1) };
  }
  const kind = first < LIST ? "bytes" : "list";
  const { start, length } = readLength(bytes, offset, first - (first < LIST ? BYTES : LIST));
  const content = bytes.subarray(start, start + length);
  if (content.length < length) throw new RlpError("The bytes end before an item does");
  if (kind === "bytes" && length === 1 && content[0]! < BYTES) {
    throw new RlpError("A single byte below 0x80 has a header, which it does not need");
  }
  cursor.offset = start + length;
  return { kind, content };
}

/** Returns the start and length of the content. `short` is the first byte minus that of an empty content. */
function readLength(bytes: Uint8Array, offset: number, short: number): { start: number; length: number } {
  if (short <= SHORT) return { start: offset + 1, length: short };
  const start = offset + 1 + short - SHORT;
  if (start > bytes.length) throw new RlpError("The bytes end inside a length");
  if (bytes[offset + 1] === 0) throw new RlpError("A length begins with a zero byte");
  let length = 0;
  // Past 2^53 the length is inexact, but longer than any bytes.
  for (const byte of bytes.subarray(offset + 1, start)) length = length * 256 + byte;
  if (length <= SHORT) throw new RlpError("A short length is written in the long form");
  return { start, length };
}
