import { concat, utf8 } from "../../src/lib/bytes.ts";

/** A value of the test encoder. Maps keep their order, so a test may write one that is not canonical. */
export type Cbor = number | string | boolean | null | Uint8Array | readonly Cbor[] | ReadonlyMap<Cbor, Cbor>;

/** Encodes CBOR (RFC 8949) with the shortest heads. The code under test only decodes. */
export function encodeCbor(value: Cbor): Uint8Array {
  if (typeof value === "number") return value >= 0 ? cborHead(0, value) : cborHead(1, -1 - value);
  if (typeof value === "string") return concat(cborHead(3, utf8(value).length), utf8(value));
  if (value === false) return Uint8Array.of(0xf4);
  if (value === true) return Uint8Array.of(0xf5);
  if (value === null) return Uint8Array.of(0xf6);
  if (value instanceof Uint8Array) return concat(cborHead(2, value.length), value);
  if (value instanceof Map) {
    const entries = [...(value as ReadonlyMap<Cbor, Cbor>)];
    return concat(cborHead(5, entries.length), ...entries.flat().map(encodeCbor));
  }
  const items = value as readonly Cbor[];
  return concat(cborHead(4, items.length), ...items.map(encodeCbor));
}

/** Returns the head of an item: major type and argument in the shortest form. */
export function cborHead(major: number, argument: number): Uint8Array {
  if (argument < 24) return Uint8Array.of((major << 5) | argument);
  if (argument < 0x100) return Uint8Array.of((major << 5) | 24, argument);
  if (argument < 0x10000) return Uint8Array.of((major << 5) | 25, argument >> 8, argument & 0xff);
  return Uint8Array.of((major << 5) | 26, ...new Uint8Array(new Uint32Array([argument]).buffer).toReversed());
}

/** Copies a Buffer's bytes to a plain Uint8Array. */
export function bytesOf(buffer: Uint8Array): Uint8Array {
  return Uint8Array.from(buffer);
}
