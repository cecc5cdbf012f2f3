import { fromHex, utf8 } from "../lib/bytes.ts";
import { keccak256 } from "./keccak.ts";

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const ONE_CASE = /^0x(?:[0-9a-f]{40}|[0-9A-F]{40})$/;

/** The 20-byte address of an uncompressed public key (0x04, x, y). Does not check that the point is on the curve. */
export function addressOf(publicKey: Uint8Array): Uint8Array<ArrayBuffer> {
  if (publicKey.length !== 65 || publicKey[0] !== 4) {
    throw new TypeError("Cannot derive address: public key is not 65 uncompressed bytes");
  }
  return keccak256(publicKey.subarray(1)).slice(12);
}

/** An address as text with the mixed-case checksum of EIP-55. */
export function toChecksumAddress(address: Uint8Array): string {
  if (address.length !== 20) throw new TypeError("Cannot write address: not 20 bytes");
  const digits = address.toHex();
  const hash = keccak256(utf8(digits));
  let text = "0x";
  for (let index = 0; index < 40; index++) {
    const byte = hash[index >> 1]!;
    const nibble = index % 2 === 0 ? byte >> 4 : byte & 15;
    text += nibble >= 8 ? digits[index]!.toUpperCase() : digits[index]!;
  }
  return text;
}

/**
 * The 20 bytes of an address: `0x` and 40 hex digits, all lower case, all upper case, or mixed case with a right
 * EIP-55 checksum; undefined for anything else, also for ICAP, for names and for digits without `0x`.
 */
export function readAddress(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!ADDRESS.test(text)) return undefined;
  const address = fromHex(text)!;
  return ONE_CASE.test(text) || toChecksumAddress(address) === text ? address : undefined;
}
