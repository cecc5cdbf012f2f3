import { fromHex, toHex, utf8 } from "../lib/bytes.ts";
import { memoize } from "../lib/memoize.ts";
import { keccak256 } from "./keccak.ts";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const ONE_CASE = /^0x(?:[0-9a-f]{40}|[0-9A-F]{40})$/;
const UPPER_A = 65;
const LOWER_A = 97;

/** Derives the address of an uncompressed public key (0x04, x, y). Does not check that the point is on the curve. */
export function addressOf(publicKey: Uint8Array): Uint8Array<ArrayBuffer> {
  if (publicKey.length !== 65 || publicKey[0] !== 4) {
    throw new TypeError("Cannot derive address: public key is not 65 uncompressed bytes");
  }
  return keccak256(publicKey.subarray(1)).slice(12);
}

/** The size of the cache. Without it, the hash took a third of the time of a repeated list. */
const KEPT = 10_000;

const texts = new Map<string, string>();

/** Returns the address with the mixed-case checksum of EIP-55. Throws TypeError unless it has 20 bytes. */
export function toChecksumAddress(address: Uint8Array): string {
  if (address.length !== 20) throw new TypeError("Cannot write address: not 20 bytes");
  return memoize(texts, toHex(address), KEPT, withChecksum);
}

function withChecksum(digits: string): string {
  const text = utf8(digits);
  const hash = keccak256(text.subarray(2));
  for (let index = 0; index < 40; index++) {
    if (isUpper(hash, index) && text[index + 2]! >= LOWER_A) text[index + 2]! -= LOWER_A - UPPER_A;
  }
  return String.fromCharCode(...text);
}

/** Shortens an address to `0x1234…abcd`, for lists. The page must show the full address elsewhere. */
export function shortAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/**
 * Returns the 20 bytes of `0x` and 40 hex digits in lower, upper or mixed case. Returns undefined for anything else.
 * Mixed case requires a correct EIP-55 checksum. Does not accept ICAP, names or digits without `0x`.
 */
export function readAddress(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!ADDRESS.test(text)) return undefined;
  return ONE_CASE.test(text) || hasChecksum(text) ? fromHex(text) : undefined;
}

function hasChecksum(text: string): boolean {
  const hash = keccak256(utf8(text.slice(2).toLowerCase()));
  for (let index = 0; index < 40; index++) {
    const code = text.charCodeAt(index + 2);
    if (code >= UPPER_A && isUpper(hash, index) !== code < LOWER_A) return false;
  }
  return true;
}

/** Returns true if EIP-55 writes the hex digit at the index in upper case: its nibble of the hash is 8 or more. */
function isUpper(hash: Uint8Array, index: number): boolean {
  return (hash[index >> 1]! & (index % 2 === 0 ? 0x80 : 0x08)) !== 0;
}
