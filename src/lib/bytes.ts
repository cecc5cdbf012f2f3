const encoder = new TextEncoder();

/** Encodes UTF-8. Lone surrogates become U+FFFD: check `isWellFormed()` first if that matters. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Concatenates the parts. Use `lengthPrefixed` for anything that is hashed or signed. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return join(parts);
}

/** Concatenates a list of any length. As arguments of `concat`, a long list would overflow the stack. */
export function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0;
  for (const part of parts) length += part.length;
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** Reads a stream to its end. At the first byte over the limit, closes the source and throws `tooLarge`'s error. */
export async function collect(
  source: AsyncIterable<Uint8Array>,
  limit: number,
  tooLarge: () => Error,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    length += chunk.length;
    if (length > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return join(chunks);
}

/** Prefixes each part with its length as 32-bit big-endian, so that different lists never give the same bytes. */
export function lengthPrefixed(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  // One pass, without an array per length, because every row MAC uses this.
  let length = 0;
  for (const part of parts) {
    if (part.length > 0xffff_ffff) throw new RangeError("Cannot prefix part: too long");
    length += 4 + part.length;
  }
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    writeUint32(whole, offset, part.length);
    whole.set(part, offset + 4);
    offset += 4 + part.length;
  }
  return whole;
}

/** Writes 4 bytes, big-endian. Takes less time than a `DataView` of a new array. */
export function writeUint32(bytes: Uint8Array, offset: number, value: number): void {
  bytes[offset] = value >>> 24;
  bytes[offset + 1] = value >>> 16;
  bytes[offset + 2] = value >>> 8;
  bytes[offset + 3] = value;
}

/** Encodes 0 to 2^32 - 1 as 4 bytes, big-endian. Throws RangeError otherwise. */
export function uint32(value: number): Uint8Array<ArrayBuffer> {
  if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff) {
    throw new RangeError("Cannot encode uint32: out of range");
  }
  const bytes = new Uint8Array(4);
  writeUint32(bytes, 0, value);
  return bytes;
}

/**
 * Compares every byte, whatever the result. Returns at once for unequal lengths, so these must not be secret. Best
 * effort: JavaScript engines guarantee nothing about time.
 */
export function constantTimeEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index++) difference |= a[index]! ^ b[index]!;
  return difference === 0;
}

/** Like `constantTimeEqual`, for texts. */
export function constantTimeEqualText(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}

export function toHex(bytes: Uint8Array): string {
  return "0x" + bytes.toHex();
}

/** Decodes 0x-prefixed hex with an even number of digits in either case. Returns undefined for anything else. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  // One class, not groups of two: those are slow on Bun and fail above some megabytes.
  if (text.length % 2 !== 0 || !/^0x[0-9a-fA-F]*$/.test(text)) return undefined;
  return Uint8Array.fromHex(text.slice(2));
}

export function toBase64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Decodes unpadded base64url in its canonical form (unused bits zero). Returns undefined for anything else. */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
  try {
    const padded = text + "=".repeat((4 - (text.length % 4)) % 4);
    return Uint8Array.fromBase64(padded, { alphabet: "base64url", lastChunkHandling: "strict" });
  } catch {
    return undefined;
  }
}
