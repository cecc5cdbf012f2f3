import { keccak_256 } from "@noble/hashes/sha3.js";

/** Keccak-256 as Ethereum uses it: the original padding 0x01, not the 0x06 of FIPS 202's SHA3-256. */
export function keccak256(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return keccak_256(bytes) as Uint8Array<ArrayBuffer>;
}
