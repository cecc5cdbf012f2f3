import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from "jose";
import type { JWK } from "jose";
import { toBase64url, utf8 } from "../../src/lib/bytes.ts";
import { sha256 } from "../../src/lib/sha256.ts";

/** Somebody who holds a key, and makes proofs with it. */
export interface Prover {
  readonly jwk: JWK;
  /** Its thumbprint. */
  readonly jkt: string;
  readonly keys: CryptoKeyPair;
  /** A proof (RFC 9449 section 4.2) of these claims, each with a `jti` of its own unless given. */
  prove(claims: ProofClaims, header?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** The claims of a proof, in any form: also wrong ones. */
export interface ProofClaims {
  readonly htm?: unknown;
  readonly htu?: unknown;
  readonly iat?: unknown;
  readonly jti?: unknown;
  readonly ath?: unknown;
  readonly nonce?: unknown;
}

/** `ath` of a token. */
export function hashOf(token: string): string {
  return toBase64url(sha256(utf8(token)));
}

/** A fresh key and who makes proofs with it, as another library than ours does. */
export async function createProver(algorithm: "ES256" | "EdDSA" | "Ed25519" = "ES256"): Promise<Prover> {
  const keys = await generateKeyPair(algorithm, { extractable: true });
  const jwk = await exportJWK(keys.publicKey);
  return {
    jwk,
    jkt: await calculateJwkThumbprint(jwk),
    keys: keys as CryptoKeyPair,
    prove: (claims, header = {}) =>
      new SignJWT({ jti: crypto.randomUUID(), ...claims } as Record<string, unknown>)
        .setProtectedHeader({ typ: "dpop+jwt", alg: algorithm, jwk, ...header }).sign(keys.privateKey),
  };
}
