import type { ImportVerifier, SignatureVerifier } from "../lib/crypto.ts";
import { type CoseAlgorithm, readCredentialKey } from "./credential-key.ts";
import { isUsableEd25519Point } from "./ed25519-point.ts";
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
