import { concat, toBase64url } from "../lib/bytes.ts";
import type { PublicJwk } from "../lib/crypto.ts";
import { check, WebAuthnError } from "./error.ts";

/** COSE algorithm identifiers (RFC 9053): ES256 over P-256, EdDSA over Ed25519, RS256. */
export type CoseAlgorithm = -7 | -8 | -257;

/** The algorithms offered at registration, in order of preference. */
export const ALGORITHMS: readonly CoseAlgorithm[] = [-7, -8, -257];

/**
 * Converts a COSE_Key to a JSON Web Key. Does not check that a point lies on its curve. Throws WebAuthnError
 * `public_key`.
 *
 * Section 6.5.1 allows one encoding per key: CTAP2 canonical CBOR with `alg` and no other optional parameter. The bytes
 * are therefore compared with that encoding instead of being decoded, which excludes duplicate labels, private parts
 * and non-canonical integers. The decoder of @oslojs/webauthn accepts any encoding and a text "1" for the label 1. It
 * accepts only 2048-bit RSA keys.
 */
export function readCredentialKey(publicKey: Uint8Array, algorithm: CoseAlgorithm): PublicJwk {
  return READERS[algorithm](publicKey);
}

const READERS: Readonly<Record<CoseAlgorithm, (publicKey: Uint8Array) => PublicJwk>> = {
  [-7]: readP256,
  [-8]: readEd25519,
  [-257]: readRsa,
};

// {1: 2, 3: -7, -1: 1, -2: x, -3: y}
const P256_HEAD = Uint8Array.fromHex("a5010203262001215820");
const P256_MIDDLE = Uint8Array.fromHex("225820");

function readP256(publicKey: Uint8Array): PublicJwk {
  const x = publicKey.subarray(10, 42);
  const y = publicKey.subarray(45, 77);
  checkEncoding(publicKey, concat(P256_HEAD, x, P256_MIDDLE, y), 77);
  return { kty: "EC", crv: "P-256", x: toBase64url(x), y: toBase64url(y) };
}

// {1: 1, 3: -8, -1: 6, -2: x}
const ED25519_HEAD = Uint8Array.fromHex("a4010103272006215820");

function readEd25519(publicKey: Uint8Array): PublicJwk {
  const x = publicKey.subarray(10, 42);
  checkEncoding(publicKey, concat(ED25519_HEAD, x), 42);
  return { kty: "OKP", crv: "Ed25519", x: toBase64url(x) };
}

// {1: 3, 3: -257, -1: n, -2: 65537}
const RSA_HEAD = Uint8Array.fromHex("a401030339010020");
const RSA_TAIL = Uint8Array.fromHex("2143010001");
const MIN_MODULUS_LENGTH = 256;
const MAX_MODULUS_LENGTH = 512; // verification time grows with the square of this

function readRsa(publicKey: Uint8Array): PublicJwk {
  const length = publicKey.length - RSA_HEAD.length - 3 - RSA_TAIL.length;
  check(length >= MIN_MODULUS_LENGTH && length <= MAX_MODULUS_LENGTH, "public_key");
  const n = publicKey.subarray(11, 11 + length);
  const head = concat(RSA_HEAD, Uint8Array.of(0x59, length >> 8, length & 0xff));
  checkEncoding(publicKey, concat(head, n, RSA_TAIL), publicKey.length);
  check(n[0]! >= (length === MIN_MODULUS_LENGTH ? 0x80 : 1), "public_key"); // 2048 bits at least, no leading zero
  check((n[length - 1]! & 1) === 1, "public_key"); // a product of odd primes
  return { kty: "RSA", n: toBase64url(n), e: "AQAB" };
}

function checkEncoding(publicKey: Uint8Array, canonical: Uint8Array, length: number): void {
  const equal = publicKey.length === length && canonical.length === length &&
    canonical.every((byte, index) => byte === publicKey[index]);
  if (!equal) throw new WebAuthnError("public_key");
}
