import { type Instant, parseInstant } from "../../lib/time.ts";
import { hexOf } from "./encoding.ts";

export class DerError extends Error {
  constructor(message: string) {
    super(`Cannot read DER: ${message}`);
    this.name = "DerError";
  }
}

/** One value, parsed one level deep. Its bytes are views of the input. */
export interface DerValue {
  readonly tag: number;
  readonly content: Uint8Array;
  /** Tag, length and content: the bytes that a signature covers. */
  readonly whole: Uint8Array;
}

/** Identifier octets in certificates and revocation lists (X.690 section 8.1.2). */
const DER_TAGS = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  context0: 0xa0,
  context3: 0xa3,
} as const;

type Tag = keyof typeof DER_TAGS;

/** Maximum of length octets: a value has less than 16 MiB. */
const MOST_LENGTH_BYTES = 3;

function readLength(bytes: Uint8Array, start: number): { length: number; at: number } {
  const first = bytes[start];
  if (first === undefined) throw new DerError("ends in a header");
  if (first < 0x80) return { length: first, at: start + 1 };
  const count = first & 0x7f;
  if (count === 0 || count > MOST_LENGTH_BYTES) throw new DerError("length is indefinite or too large");
  if (start + 1 + count > bytes.length) throw new DerError("ends in a header");
  let length = 0;
  for (let index = 1; index <= count; index++) length = length * 256 + bytes[start + index]!;
  // X.690 section 10.1: the fewest octets.
  const least = count === 1 ? 0x80 : 256 ** (count - 1);
  if (length < least) throw new DerError("length is not in its shortest form");
  return { length, at: start + 1 + count };
}

function readAt(bytes: Uint8Array, start: number): DerValue {
  const tag = bytes[start]!;
  if ((tag & 0x1f) === 0x1f) throw new DerError("tag is too large");
  const { length, at } = readLength(bytes, start + 1);
  const end = at + length;
  if (end > bytes.length) throw new DerError("ends in a value");
  return { tag, content: bytes.subarray(at, end), whole: bytes.subarray(start, end) };
}

export function readDerList(bytes: Uint8Array): readonly DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length;) {
    const value = readAt(bytes, at);
    values.push(value);
    at += value.whole.length;
  }
  return values;
}

/** Parses exactly one value (X.690, distinguished encoding: definite shortest lengths, one-byte tags). */
export function readDer(bytes: Uint8Array): DerValue {
  const [value, ...rest] = readDerList(bytes);
  if (value === undefined || rest.length > 0) throw new DerError("not exactly one value");
  return value;
}

/** Returns a value's content. Throws unless it has that tag. */
export function expectDer(value: DerValue | undefined, tag: Tag): Uint8Array {
  if (value?.tag !== DER_TAGS[tag]) throw new DerError(`no ${tag} where one must be`);
  return value.content;
}

export function readDerChildren(value: DerValue | undefined, tag: Tag): readonly DerValue[] {
  return readDerList(expectDer(value, tag));
}

export function isDer(value: DerValue | undefined, tag: Tag): boolean {
  return value?.tag === DER_TAGS[tag];
}

/** Reads a non-negative INTEGER, in hex without leading zeros; `0` is `00`. */
export function readDerUnsigned(value: DerValue | undefined): string {
  const content = expectDer(value, "integer");
  const [first, second] = content;
  if (first === undefined || first >= 0x80) throw new DerError("integer is empty or negative");
  if (first !== 0 || content.length === 1) return hexOf(content);
  if (second! < 0x80) throw new DerError("integer is not in its shortest form");
  return hexOf(content.subarray(1));
}

/** Reads an INTEGER from 0 to 65535. */
export function readDerSmall(value: DerValue | undefined): number {
  const hex = readDerUnsigned(value);
  if (hex.length > 4) throw new DerError("integer is too large");
  return parseInt(hex, 16);
}

/** Reads a BOOLEAN, which is 00 or FF (X.690 section 11.1). */
export function readDerBoolean(value: DerValue | undefined): boolean {
  const content = expectDer(value, "boolean");
  if (content.length !== 1 || (content[0] !== 0 && content[0] !== 0xff)) {
    throw new DerError("boolean is neither 00 nor FF");
  }
  return content[0] === 0xff;
}

/** Returns the encoded arcs of an object identifier, in hex. */
export function readDerObjectId(value: DerValue | undefined): string {
  return hexOf(expectDer(value, "objectId"));
}

/** Reads a BIT STRING of whole bytes. */
export function readDerBits(value: DerValue | undefined): Uint8Array {
  const content = expectDer(value, "bitString");
  if (content[0] !== 0) throw new DerError("bit string is not of whole bytes");
  return content.subarray(1);
}

/** Reads UTCTime or GeneralizedTime in the form of RFC 5280 section 4.1.2.5: to the second, in UTC. */
export function readDerTime(value: DerValue | undefined): Instant {
  const isUtc = isDer(value, "utcTime");
  const text = new TextDecoder().decode(expectDer(value, isUtc ? "utcTime" : "generalizedTime"));
  const digits = isUtc ? `${Number(text.slice(0, 2)) < 50 ? "20" : "19"}${text}` : text;
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(digits);
  if (parts === null) throw new DerError("time is not to the second and in UTC");
  const [, year, month, day, hour, minute, second] = parts;
  const instant = parseInstant(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (instant === undefined) throw new DerError("time is no time");
  return instant;
}
