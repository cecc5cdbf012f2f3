// The one file here with a platform module. Web Crypto verifies in another thread, which takes a third more of the
// processor than the signature itself, and on Deno it imports points that are not on their curve.
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import type { ProofJwk } from "./proof-key.ts";

const DIGESTS: Readonly<Record<ProofJwk["crv"], "sha256" | null>> = { "P-256": "sha256", Ed25519: null };

/** A public key that signatures of proofs are checked with. */
export interface ProofVerifier {
  readonly digest: "sha256" | null;
  readonly handle: KeyObject;
}

/** The verifier of a key; undefined where its point is not on its curve. */
export function importProofKey(jwk: ProofJwk): ProofVerifier | undefined {
  try {
    return { digest: DIGESTS[jwk.crv], handle: createPublicKey({ format: "jwk", key: { ...jwk } }) };
  } catch {
    return undefined;
  }
}

/**
 * Whether these 64 bytes are the key's signature over the message: R and S of ECDSA (RFC 7518 section 3.4), or Ed25519
 * (RFC 8037 section 3.1). Never throws.
 */
export function isProofSignature(
  { digest, handle }: ProofVerifier,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  try {
    return verify(digest, message, { key: handle, dsaEncoding: "ieee-p1363" }, signature);
  } catch {
    return false; // a platform may throw on what it cannot read
  }
}
