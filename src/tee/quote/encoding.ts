// What `Uint8Array` has methods for on newer platforms than those that verify quotes: Node.js before 25, and browsers
// of before 2025.

/** Lower-case hex without a prefix. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The bytes of hex in either case, of an even number of digits, which the caller has looked at. */
export function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * The bytes of padded base64 (RFC 4648 section 4), white space left out of account. Throws a TypeError for anything
 * else.
 */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const packed = text.replace(/\s+/g, "");
  if (!BASE64.test(packed)) throw new TypeError("Cannot read base64: malformed");
  return Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
}
