const encoder = new TextEncoder();

/** UTF-8 bytes of a text. Lone surrogates become U+FFFD: check `isWellFormed()` first where that matters. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** The given parts one after another. Anything that is hashed or signed uses `lengthPrefixed` instead. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return join(parts);
}

/** `concat` of a list whose length somebody else decides: as arguments, too many would overflow the stack. */
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

/**
 * All that comes, in one piece; given up with what `tooLarge` makes at the first byte over the limit. The source is
 * told to stop, and waited for.
 */
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

/** Each part behind its length as 32-bit big-endian, so that no two lists of parts give the same bytes. */
export function lengthPrefixed(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  // In one pass, without a small array per length: every row MAC goes through here.
  let length = 0;
  for (const part of parts) {
    if (part.length > 0xffff_ffff) throw new RangeError("Cannot prefix part: too long");
    length += 4 + part.length;
  }
  const whole = new Uint8Array(length);
  const view = new DataView(whole.buffer);
  let offset = 0;
  for (const part of parts) {
    view.setUint32(offset, part.length);
    whole.set(part, offset + 4);
    offset += 4 + part.length;
  }
  return whole;
}

/** A whole number from 0 to 2^32 - 1 as 4 bytes, big-endian. */
export function uint32(value: number): Uint8Array<ArrayBuffer> {
  if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff) {
    throw new RangeError("Cannot encode uint32: out of range");
  }
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

/**
 * Whether two byte strings are equal, looking at every byte whatever the outcome. Unequal lengths answer at once,
 * so lengths must not be secret. Best effort: JavaScript engines promise nothing about time.
 */
export function constantTimeEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index++) difference |= a[index]! ^ b[index]!;
  return difference === 0;
}

/** 0x-prefixed lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  return "0x" + bytes.toHex();
}

/** Bytes of 0x-prefixed hex with an even number of digits, either case; undefined for anything else. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  // One class, not groups of two: those are slow on Bun and fail above some megabytes.
  if (text.length % 2 !== 0 || !/^0x[0-9a-fA-F]*$/.test(text)) return undefined;
  return Uint8Array.fromHex(text.slice(2));
}

/** Base64url without padding (RFC 4648 section 5). */
export function toBase64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Bytes of unpadded base64url in its one canonical form (unused bits zero); undefined for anything else. */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
  try {
    const padded = text + "=".repeat((4 - (text.length % 4)) % 4);
    return Uint8Array.fromBase64(padded, { alphabet: "base64url", lastChunkHandling: "strict" });
  } catch {
    return undefined;
  }
}
