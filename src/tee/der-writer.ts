import { concat, utf8 } from "../lib/bytes.ts";

const TAGS = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  context0: 0xa0,
  context3: 0xa3,
} as const;

function encodeLength(length: number): Uint8Array {
  if (length < 0x80) return Uint8Array.of(length);
  if (length < 0x100) return Uint8Array.of(0x81, length);
  return Uint8Array.of(0x82, length >> 8, length & 0xff);
}

/** Encodes a DER value (X.690) of less than 65536 bytes. Does not check that the content fits the tag. */
export function der(tag: keyof typeof TAGS, ...contents: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const content = concat(...contents);
  if (content.length > 0xffff) throw new RangeError("Cannot encode DER: too long");
  return concat(Uint8Array.of(TAGS[tag]), encodeLength(content.length), content);
}

export function derText(tag: "utf8String" | "utcTime", text: string): Uint8Array<ArrayBuffer> {
  return der(tag, utf8(text));
}

export function derBits(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return der("bitString", Uint8Array.of(0), bytes);
}

export function derObjectId(hex: string): Uint8Array<ArrayBuffer> {
  return der("objectId", Uint8Array.fromHex(hex));
}
