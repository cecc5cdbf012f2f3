// Replaces methods of `Uint8Array` that older verifying platforms lack: Node.js before 25, and browsers before 2025.

/** Encodes lower-case hex without a prefix. */
export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Decodes hex of either case. The caller must have checked that it is valid and of even length. */
export function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Decodes padded base64 (RFC 4648 section 4), ignoring white space. Throws `TypeError` if it is malformed. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const packed = text.replace(/\s+/g, "");
  if (!BASE64.test(packed)) throw new TypeError("Cannot read base64: malformed");
  return Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
}
