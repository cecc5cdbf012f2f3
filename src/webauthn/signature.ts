import type { ImportVerifier, SignatureVerifier } from "../lib/crypto.ts";
import { readCredentialKey } from "./credential-key.ts";
import type { CoseAlgorithm } from "./credential-key.ts";
import { check, WebAuthnError } from "./error.ts";

/** A credential public key that was found valid. */
export interface CredentialKey {
  readonly algorithm: CoseAlgorithm;
  /** ECDSA signatures are in strict DER; section 6.5.5 does not require a low S. */
  readonly verify: SignatureVerifier;
}

/**
 * The key in a COSE_Key of the given algorithm that was checked at registration: canonical encoding, P-256 point on
 * its curve, RSA from 2048 to 4096 bits with exponent 65537. Throws WebAuthnError `public_key`.
 */
export function importCredentialKey(
  publicKey: Uint8Array,
  algorithm: CoseAlgorithm,
  importVerifier: ImportVerifier,
): CredentialKey {
  const key = readCredentialKey(publicKey, algorithm);
  try {
    return { algorithm, verify: importVerifier(key, "der") };
  } catch (cause) {
    throw new WebAuthnError("public_key", cause);
  }
}

/**
 * The same for a key that is to be stored, with the check of Ed25519 points that no platform makes. It takes longer
 * than a signature check, so it is made once, here. Throws WebAuthnError `public_key`.
 */
export function importNewCredentialKey(
  publicKey: Uint8Array,
  algorithm: CoseAlgorithm,
  importVerifier: ImportVerifier,
): CredentialKey {
  const key = importCredentialKey(publicKey, algorithm, importVerifier);
  if (algorithm === -8) check(isUsableEd25519Point(publicKey.subarray(-32)), "public_key");
  return key;
}

const P = 2n ** 255n - 19n;

/** -121665 / 121666 mod p, the d of RFC 8032 section 5.1. */
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;

/** The y coordinates of the eight points whose order divides 8: their keys accept signatures nobody made. */
const LOW_ORDER_Y: readonly bigint[] = [
  0n,
  1n,
  P - 1n,
  2707385501144840649318225287225658788936804267575313519463743609750303402022n,
  55188659117513257062467267217118295137698188065244968500265048394206261417927n,
];

/**
 * Whether 32 bytes encode a point of edwards25519 that can serve as a public key (RFC 8032 section 5.1.3): y below
 * the field prime, on the curve, not of low order. No platform checks this at import, and a key of low order
 * verifies forged signatures.
 */
export function isUsableEd25519Point(encoded: Uint8Array): boolean {
  const bytes = encoded.toReversed();
  bytes[0]! &= 0x7f; // the top bit is the sign of x
  const y = BigInt("0x" + bytes.toHex());
  if (y >= P || LOW_ORDER_Y.includes(y)) return false;
  const u = (y * y - 1n) % P;
  const v = (D * y * y + 1n) % P;
  return power((u * v) % P, (P - 1n) / 2n) === 1n; // x² = u / v has a root
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let bits = exponent; bits > 0n; bits >>= 1n) {
    if ((bits & 1n) === 1n) result = (result * base) % P;
    base = (base * base) % P;
  }
  return result;
}
