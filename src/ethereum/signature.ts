import { toHex } from "../lib/bytes.ts";

/** A recoverable ECDSA signature over secp256k1. */
export interface RecoverableSignature {
  /** r and s, 32 bytes each, big-endian. */
  readonly compact: Uint8Array;
  /** Parity of R's y coordinate: 0 or 1. */
  readonly recovery: number;
}

/**
 * Encodes r, s and v as 65 bytes in 0x-hex, v being 27 or 28 (Yellow Paper, appendix F). Throws RangeError for a
 * recovery id of 2 or 3, which has no v. Does not check that s is low.
 */
export function encodeSignature(signature: RecoverableSignature): string {
  const { compact, recovery } = signature;
  if (compact.length !== 64) throw new TypeError("Cannot encode signature: not 64 bytes");
  if (recovery !== 0 && recovery !== 1) throw new RangeError("Cannot encode signature: recovery id has no v");
  return toHex(compact) + (27 + recovery).toString(16);
}
