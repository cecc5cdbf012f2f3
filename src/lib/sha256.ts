import { sha256 as portable } from "@noble/hashes/sha2.js";

export type Sha256 = (data: Uint8Array) => Uint8Array<ArrayBuffer>;

let native: Sha256 | undefined;

/**
 * Sets the platform's SHA-256, which takes a third of the time of one in JavaScript. Only the first call counts: an
 * attacker who could replace it later could make any secret match.
 */
export function prepareHashing(sha256: Sha256): void {
  native ??= sha256;
}

export function sha256(data: Uint8Array): Uint8Array<ArrayBuffer> {
  return native === undefined ? portable(data) : native(data);
}
