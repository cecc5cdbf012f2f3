import { check, WebAuthnError, type WebAuthnErrorCode } from "./error.ts";

/** A CBOR item that CTAP2 allows. Excludes floating-point numbers, which WebAuthn does not use. */
export type CborValue =
  | number
  | string
  | boolean
  | null
  | undefined
  | Uint8Array
  | readonly CborValue[]
  | CborMap;

export type CborMap = ReadonlyMap<number | string, CborValue>;

/** The nesting limit of CTAP2 canonical CBOR. */
const MAX_DEPTH = 4;

/**
 * Decodes the CTAP2 canonical CBOR item at `offset` (CTAP 2.1 section 8). Requires definite lengths, shortest heads, no
 * tags and no repeated keys. Does not check the order of keys, because early clients wrote attestation objects in a
 * different one. Rounds integers beyond 2^53. Takes time and memory in proportion to the input. Throws WebAuthnError
 * with the given code.
 *
 * Does not use @oslojs/cbor: it reads a 32-bit length as a signed number and moves backwards on a negative one. It
 * loops forever on the six bytes 9f 5a ff ff ff fb.
 */
export function readCbor(
  bytes: Uint8Array,
  offset: number,
  failure: WebAuthnErrorCode,
): { readonly value: CborValue; readonly end: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const cursor: Cursor = { bytes, view, offset, failure };
  const value = readItem(cursor, 1);
  return { value, end: cursor.offset };
}

interface Cursor {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly failure: WebAuthnErrorCode;
  offset: number;
}

function readItem(cursor: Cursor, depth: number): CborValue {
  const initial = take(cursor, 1)[0]!;
  const argument = readArgument(cursor, initial & 0x1f);
  switch (initial >> 5) {
    case 0:
      return argument;
    case 1:
      return -1 - argument;
    case 2:
      return take(cursor, argument).slice();
    case 3:
      return readText(cursor, argument);
    case 4:
      return readArray(cursor, argument, depth);
    case 5:
      return readMap(cursor, argument, depth);
    case 7:
      return readSimple(cursor, initial);
    default: // 6, a tag
      throw new WebAuthnError(cursor.failure);
  }
}

/** The smallest argument per head size in bytes. A smaller argument has a shorter head. */
const SMALLEST: Readonly<Record<number, number>> = { 1: 24, 2: 0x100, 4: 0x10000, 8: 0x1_0000_0000 };

function readArgument(cursor: Cursor, information: number): number {
  if (information < 24) return information;
  check(information <= 27, cursor.failure); // 28 to 30 are reserved, 31 is an indefinite length
  const size = 1 << (information - 24);
  const start = cursor.offset;
  take(cursor, size);
  const argument = size === 8 ? Number(cursor.view.getBigUint64(start)) : readUint(cursor.view, start, size);
  check(argument >= SMALLEST[size]!, cursor.failure);
  return argument;
}

function readUint(view: DataView, start: number, size: number): number {
  if (size === 1) return view.getUint8(start);
  return size === 2 ? view.getUint16(start) : view.getUint32(start);
}

function take(cursor: Cursor, length: number): Uint8Array {
  const start = cursor.offset;
  check(length <= cursor.bytes.length - start, cursor.failure);
  cursor.offset = start + length;
  return cursor.bytes.subarray(start, cursor.offset);
}

function readText(cursor: Cursor, length: number): string {
  const bytes = take(cursor, length);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new WebAuthnError(cursor.failure, cause);
  }
}

/** Refuses a count that exceeds the remaining bytes before allocating anything. Each item takes at least one byte. */
function checkContainer(cursor: Cursor, items: number, depth: number): void {
  check(depth <= MAX_DEPTH, cursor.failure);
  check(items <= cursor.bytes.length - cursor.offset, cursor.failure);
}

function readArray(cursor: Cursor, length: number, depth: number): readonly CborValue[] {
  checkContainer(cursor, length, depth);
  const items: CborValue[] = [];
  while (items.length < length) items.push(readItem(cursor, depth + 1));
  return items;
}

function readMap(cursor: Cursor, length: number, depth: number): CborMap {
  checkContainer(cursor, 2 * length, depth);
  const map = new Map<number | string, CborValue>();
  while (map.size < length) {
    const key = readItem(cursor, depth + 1);
    check((typeof key === "number" || typeof key === "string") && !map.has(key), cursor.failure);
    map.set(key, readItem(cursor, depth + 1));
  }
  return map;
}

const SIMPLE_VALUES: ReadonlyMap<number, CborValue> = new Map([
  [0xf4, false],
  [0xf5, true],
  [0xf6, null],
  [0xf7, undefined],
]);

function readSimple(cursor: Cursor, initial: number): CborValue {
  check(SIMPLE_VALUES.has(initial), cursor.failure); // the others are unassigned or floating-point
  return SIMPLE_VALUES.get(initial);
}
