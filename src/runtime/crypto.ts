import { Buffer } from "node:buffer";
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  hash,
  hkdfSync,
  sign,
  verify,
} from "node:crypto";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concat } from "../lib/bytes.ts";
import type {
  AesGcmParts,
  EcdsaEncoding,
  NewSigningKey,
  PublicJwk,
  SignatureVerifier,
  Signer,
  SigningParameters,
  VaultPrimitives,
} from "../lib/crypto.ts";

/** The hash functions of Bun, which take half the time of those of `node:crypto`. */
interface BunHashes {
  readonly CryptoHasher: new (algorithm: "sha256", key: Uint8Array) => {
    update(data: Uint8Array): { digest(encoding: "hex"): string };
  };
  readonly SHA256: { hash(data: Uint8Array, result: Uint8Array): unknown };
}

const bun = (globalThis as { readonly Bun?: BunHashes }).Bun;
const isBun = bun !== undefined;

/**
 * Returns true if signing synchronously is faster than Web Crypto. On Bun it takes a fifth of the time of switching
 * threads. Deno signs on the same thread either way: with P-256 it is slower here, with Ed25519 it takes half the time.
 * RSA is slow on both.
 */
function isQuick({ name }: SigningParameters): boolean {
  return name === "Ed25519" || (name === "ECDSA" && isBun);
}

async function makeSigningKey(parameters: SigningParameters): Promise<NewSigningKey> {
  const pair = await crypto.subtle.generateKey(parameters, true, ["sign", "verify"]) as CryptoKeyPair;
  const publicJwk = await crypto.subtle.exportKey("jwk", pair.publicKey);
  return { publicJwk, pkcs8: new Uint8Array(await crypto.subtle.exportKey("pkcs8", pair.privateKey)) };
}

async function importSigner(
  parameters: SigningParameters,
  pkcs8: Uint8Array<ArrayBuffer>,
): Promise<Signer> {
  const { name, hash } = parameters;
  if (isQuick(parameters)) {
    // A view of the same bytes, so that the caller's wipe clears them.
    const der = Buffer.from(pkcs8.buffer, pkcs8.byteOffset, pkcs8.byteLength);
    const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    const digest = name === "Ed25519" ? null : "sha256";
    return (data) => plainArray(sign(digest, data, { key, dsaEncoding: "ieee-p1363" }));
  }
  const bare = withoutPublicKey(pkcs8);
  try {
    const key = await crypto.subtle.importKey("pkcs8", bare, parameters, false, ["sign"]);
    return async (data) => new Uint8Array(await crypto.subtle.sign({ name, hash }, key, data));
  } finally {
    bare.fill(0);
  }
}

/** PKCS #8 (RFC 5958) of a P-256 key up to its private bytes: as Web Crypto exports it, and without the public key. */
const P256_WITH_PUBLIC = "308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420";
const P256_ALONE = "3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420";
const P256_LENGTH = 32;
const P256_WHOLE = 138;

/** Returns a copy. With the public key of P-256, Deno checks for each signature that both match: 125 of 400 µs. */
function withoutPublicKey(pkcs8: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const start = P256_WITH_PUBLIC.length / 2;
  const hasPublic = pkcs8.length === P256_WHOLE && pkcs8.subarray(0, start).toHex() === P256_WITH_PUBLIC;
  if (!hasPublic) return pkcs8.slice();
  const head = Uint8Array.fromHex(P256_ALONE);
  const bare = new Uint8Array(head.length + P256_LENGTH);
  bare.set(head);
  bare.set(pkcs8.subarray(start, start + P256_LENGTH), head.length);
  return bare;
}

/** Returns a plain Uint8Array over the bytes of a Buffer, because callers compare, store and print Uint8Array. */
function plainArray({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Block size of SHA-256 (FIPS 180-4), and the longest data that the reused buffer takes. */
const BLOCK = 64;
const MOST = 2048;

/** Creates an HMAC of two one-shot hashes (RFC 2104 section 2): 3 µs on Deno, where `createHmac` takes 7. */
function createHmacByHashes(): VaultPrimitives["storedHmacSha256"] {
  const inner = new Uint8Array(BLOCK + MOST);
  const outer = new Uint8Array(BLOCK + 32);
  const innerHash = outer.subarray(BLOCK);
  return (key, data) => {
    if (key.length > BLOCK || data.length > MOST) return hmacOneShot(key, data);
    inner.fill(0x36, 0, BLOCK);
    outer.fill(0x5c, 0, BLOCK);
    for (let index = 0; index < key.length; index++) {
      inner[index]! ^= key[index]!;
      outer[index]! ^= key[index]!;
    }
    inner.set(data, BLOCK);
    const filled = inner.subarray(0, BLOCK + data.length);
    innerHash.setFromHex(hash("sha256", filled, "hex"));
    const mac = Uint8Array.fromHex(hash("sha256", outer, "hex"));
    filled.fill(0);
    outer.fill(0);
    return mac;
  };
}

function hmacOneShot(key: Uint8Array, data: Uint8Array): Uint8Array {
  // Through hex, because a new array over a Buffer is slower.
  return Uint8Array.fromHex(createHmac("sha256", key).update(data).digest("hex"));
}

/**
 * Bun 1.4.5 throws from the next HMAC what a failed import of a key left in the error queue of its TLS library, so a
 * stranger's key that is no point of its curve would fail another user's request. The throw empties the queue.
 */
function hmacOfBun({ CryptoHasher }: BunHashes): VaultPrimitives["storedHmacSha256"] {
  const compute = (key: Uint8Array, data: Uint8Array): Uint8Array =>
    Uint8Array.fromHex(new CryptoHasher("sha256", key).update(data).digest("hex"));
  return (key, data) => {
    try {
      return compute(key, data);
    } catch {
      return compute(key, data);
    }
  };
}

function sha256OfBun({ SHA256 }: BunHashes): VaultPrimitives["sha256"] {
  return (data) => {
    const digest = new Uint8Array(32);
    SHA256.hash(data, digest);
    return digest;
  };
}

/** Computes an HMAC without an intermediate string, which could not be wiped. For secrets. */
function hmacAsBytes(key: Uint8Array, data: Uint8Array): Uint8Array {
  return plainArray(createHmac("sha256", key).update(data).digest());
}

const GCM = "aes-256-gcm";
const GCM_TAG = { authTagLength: 16 } as const;

function prepareAesGcm(
  { key, nonce, additionalData }: AesGcmParts,
): ReturnType<VaultPrimitives["prepareAesGcm"]> {
  const cipher = createCipheriv(GCM, key, nonce, GCM_TAG).setAAD(additionalData);
  return (plaintext) => concat(cipher.update(plaintext), cipher.final(), cipher.getAuthTag());
}

function openAesGcm(
  { key, nonce, additionalData }: AesGcmParts,
  sealed: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const end = sealed.length - GCM_TAG.authTagLength;
  if (end < 0) throw new RangeError("Cannot decrypt: shorter than a tag");
  const decipher = createDecipheriv(GCM, key, nonce, GCM_TAG).setAAD(additionalData);
  decipher.setAuthTag(sealed.subarray(end));
  const plaintext = decipher.update(sealed.subarray(0, end));
  try {
    return concat(plaintext, decipher.final());
  } finally {
    // `update` returns bytes before they are authenticated; afterwards they are a copy.
    plaintext.fill(0);
  }
}

/**
 * Imports a public key by node:crypto. Web Crypto on Deno imports points that are not on their curve.
 * @oslojs/crypto loses leading zeros, accepts signatures out of range and is 50 times slower.
 */
export function importVerifier(jwk: PublicJwk, ecdsaEncoding: EcdsaEncoding): SignatureVerifier {
  const key = createPublicKey({ format: "jwk", key: { ...jwk } });
  const digest = jwk.kty === "OKP" ? null : "sha256";
  const parameters = { key, dsaEncoding: ecdsaEncoding };
  return (message, signature) => {
    try {
      return verify(digest, message, parameters, signature);
    } catch {
      return false; // platforms may throw for a malformed signature
    }
  };
}

/** Hashes, HMAC, HKDF and AES-GCM of node:crypto, with the faster signature and MAC for each runtime. */
export const primitives: VaultPrimitives = {
  hmacSha256: isBun ? hmacAsBytes : (key, data) => hmac(sha256, key, data),
  storedHmacSha256: bun === undefined ? createHmacByHashes() : hmacOfBun(bun),
  sha256: bun === undefined ? (data) => Uint8Array.fromHex(hash("sha256", data, "hex")) : sha256OfBun(bun),
  prepareAesGcm,
  openAesGcm,
  makeSigningKey,
  importSigner,
  hkdfSha256(secret, salt, info, length) {
    return new Uint8Array(hkdfSync("sha256", secret, salt, info, length));
  },
  hkdfSha512(secret, salt, info, length) {
    return new Uint8Array(hkdfSync("sha512", secret, salt, info, length));
  },
};
