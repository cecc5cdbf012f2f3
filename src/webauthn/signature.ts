// The one file here with a platform module. Web Crypto will not do: on Deno it imports points that are not on their
// curve. @oslojs/crypto will not do: it loses leading zeros, accepts signatures out of range and is 50 times slower.
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { type CoseAlgorithm, readCredentialKey } from "./credential-key.ts";
import { isUsableEd25519Point } from "./ed25519-point.ts";
import { check, WebAuthnError } from "./error.ts";

/** A credential public key that was found valid. */
export interface CredentialKey {
  readonly algorithm: CoseAlgorithm;
  readonly handle: KeyObject;
}

/**
 * The key in a COSE_Key of the given algorithm that was checked at registration: canonical encoding, P-256 point on
 * its curve, RSA from 2048 to 4096 bits with exponent 65537. Throws WebAuthnError `public_key`.
 */
export function importCredentialKey(publicKey: Uint8Array, algorithm: CoseAlgorithm): CredentialKey {
  const key = readCredentialKey(publicKey, algorithm);
  try {
    return { algorithm, handle: createPublicKey({ format: "jwk", key: { ...key } }) };
  } catch (cause) {
    throw new WebAuthnError("public_key", cause);
  }
}

/**
 * The same for a key that is to be stored, with the check of Ed25519 points that no platform makes. It takes longer
 * than a signature check, so it is made once, here. Throws WebAuthnError `public_key`.
 */
export function importNewCredentialKey(publicKey: Uint8Array, algorithm: CoseAlgorithm): CredentialKey {
  const key = importCredentialKey(publicKey, algorithm);
  if (algorithm === -8) check(isUsableEd25519Point(publicKey.subarray(-32)), "public_key");
  return key;
}

const DIGESTS: Readonly<Record<CoseAlgorithm, "sha256" | null>> = {
  [-7]: "sha256",
  [-8]: null,
  [-257]: "sha256",
};

/**
 * Whether the signature over the message is valid: ECDSA in strict DER with r and s in range, either s (section
 * 6.5.5 does not ask for the low one), Ed25519, or PKCS #1 v1.5. Never throws.
 */
export function isValidSignature(key: CredentialKey, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verify(DIGESTS[key.algorithm], message, key.handle, signature);
  } catch {
    return false; // a platform may throw on what it cannot read
  }
}
