import type { ImportVerifier, SignatureVerifier } from "../lib/crypto.ts";
import { type CoseAlgorithm, readCredentialKey } from "./credential-key.ts";
import { check, WebAuthnError } from "./error.ts";

/** A valid public key of a credential. */
export interface CredentialKey {
  readonly algorithm: CoseAlgorithm;
  /** Expects ECDSA signatures in strict DER. Accepts a high S, because section 6.5.5 does not require a low one. */
  readonly verify: SignatureVerifier;
}

/**
 * Imports the COSE_Key of a registered credential. Requires canonical encoding, a P-256 point on its curve, and RSA
 * keys of 2048 to 4096 bits with exponent 65537. Does not validate Ed25519 points: `importNewCredentialKey` did so at
 * registration. Throws WebAuthnError `public_key`.
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
 * Like `importCredentialKey`, for a new key. Also validates the Ed25519 point, which no platform does at import. That
 * takes longer than verifying a signature, so it is done only at registration. Throws WebAuthnError `public_key`.
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

/** The y coordinates of the eight points whose order divides 8. An attacker can forge signatures for such keys. */
const LOW_ORDER_Y: readonly bigint[] = [
  0n,
  1n,
  P - 1n,
  2707385501144840649318225287225658788936804267575313519463743609750303402022n,
  55188659117513257062467267217118295137698188065244968500265048394206261417927n,
];

/**
 * Returns true if 32 bytes encode a usable Ed25519 public key (RFC 8032 section 5.1.3). Requires y below the field
 * prime and a point on the curve that is not of low order. No platform checks this at import, and a low-order key
 * verifies forged signatures.
 */
function isUsableEd25519Point(encoded: Uint8Array): boolean {
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
