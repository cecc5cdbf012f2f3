// The one file here with a platform module. Web Crypto will not do: on Deno it imports points that are not on their
// curve. @oslojs/crypto will not do: it loses leading zeros, accepts signatures out of range and is 50 times slower.
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { type CoseAlgorithm, readCredentialKey } from "./credential-key.ts";
import { WebAuthnError } from "./error.ts";

/** A credential public key that was found valid. */
export interface CredentialKey {
  readonly algorithm: CoseAlgorithm;
  readonly handle: KeyObject;
}

/**
 * The key in a COSE_Key of the given algorithm: canonical encoding, point on its curve, no low order, RSA from 2048
 * to 4096 bits with exponent 65537. Throws WebAuthnError `public_key`.
 */
export function importCredentialKey(publicKey: Uint8Array, algorithm: CoseAlgorithm): CredentialKey {
  const key = readCredentialKey(publicKey, algorithm);
  try {
    return { algorithm, handle: createPublicKey({ format: "jwk", key: { ...key } }) };
  } catch (cause) {
    throw new WebAuthnError("public_key", cause);
  }
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
