import { getPublicKey, hashes, sign } from "@noble/secp256k1";
import { addressOf } from "../ethereum/address.ts";
import { concat, lengthPrefixed, uint32, utf8 } from "../lib/bytes.ts";
import type { VaultPrimitives } from "../lib/crypto.ts";

/** Order of the secp256k1 base point (SEC 2 section 2.4.1). */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const SALT = utf8("holdfast");
const INFO = utf8("ethereum-key/v1");

export interface EthereumKeyPath {
  readonly accountId: string;
  /** 0 to 2^32 - 1. */
  readonly keyIndex: number;
}

/** An Ethereum signature: low s, and the parity that recovers the public key. */
export interface DigestSignature {
  /** r and s, 32 bytes each, big-endian. */
  readonly compact: Uint8Array;
  readonly recovery: 0 | 1;
}

/**
 * Sets the HMAC that noble uses for deterministic nonces. noble's `hashes` is one mutable object per process. An
 * attacker who replaced the function could choose nonces and learn keys, so it is set once and frozen. `sha256` stays
 * unset on purpose. noble would only use it to hash a digest again, which now throws instead of signing something
 * else.
 */
export function prepareSigning(primitives: VaultPrimitives): void {
  if (Object.isFrozen(hashes)) return;
  // noble's type requires a Uint8Array over its own buffer. `VaultPrimitives` guarantees that only in its
  // documentation.
  hashes.hmacSha256 = (key, data) => primitives.hmacSha256(key, data) as Uint8Array<ArrayBuffer>;
  Object.freeze(hashes);
}

/**
 * Derives a private key from the seed: 48 bytes of HKDF-SHA-512, reduced to 1 … n-1 with extra random bits (FIPS 186-5
 * appendix A.2.1). Never change this: it would change every address. The caller wipes the result. The intermediate
 * BigInt cannot be wiped and is left to the garbage collector.
 */
function derivePrivateKey(
  primitives: VaultPrimitives,
  seed: Uint8Array,
  { accountId, keyIndex }: EthereumKeyPath,
): Uint8Array {
  if (accountId === "" || !accountId.isWellFormed()) throw new TypeError("Cannot derive key: bad account id");
  const info = concat(INFO, lengthPrefixed(utf8(accountId)), uint32(keyIndex));
  const material = primitives.hkdfSha512(seed, SALT, info, 48);
  try {
    const scalar = BigInt("0x" + material.toHex()) % (ORDER - 1n) + 1n;
    return Uint8Array.fromHex(scalar.toString(16).padStart(64, "0"));
  } finally {
    material.fill(0);
  }
}

export function ethereumPublicKey(
  primitives: VaultPrimitives,
  seed: Uint8Array,
  path: EthereumKeyPath,
): { publicKey: Uint8Array; address: Uint8Array } {
  const privateKey = derivePrivateKey(primitives, seed, path);
  try {
    const publicKey = getPublicKey(privateKey, false);
    return { publicKey, address: addressOf(publicKey) };
  } finally {
    privateKey.fill(0);
  }
}

/** Signs exactly these 32 bytes: nonce of RFC 6979, lower s (EIP-2). Does not verify the signature. */
export function signDigest(
  primitives: VaultPrimitives,
  seed: Uint8Array,
  path: EthereumKeyPath,
  digest: Uint8Array,
): DigestSignature {
  // With `prehash: false` noble signs any length.
  if (digest.length !== 32) throw new TypeError("Cannot sign digest: not 32 bytes");
  const privateKey = derivePrivateKey(primitives, seed, path);
  try {
    const recovered = sign(digest, privateKey, { prehash: false, lowS: true, format: "recovered" });
    const recovery = recovered[0];
    // 2 and 3 mean that r exceeds the order: one signature in 2^127, for which Ethereum has no v.
    if (recovery !== 0 && recovery !== 1) throw new RangeError("Cannot sign digest: no usable recovery id");
    return { compact: recovered.slice(1), recovery };
  } finally {
    privateKey.fill(0);
  }
}
