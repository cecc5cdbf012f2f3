import { fromBase64url, toBase64url, utf8 } from "../../lib/bytes.ts";
import type { PublicJwk } from "../../lib/crypto.ts";
import { sha256 } from "../../lib/sha256.ts";

/** A key that proofs are signed with, by its public half (RFC 7517): on P-256 or Ed25519. */
export type ProofJwk = Extract<PublicJwk, { readonly kty: "EC" | "OKP" }>;

/** Names of each curve's signatures in JWTs: RFC 7518 section 3.1, RFC 8037 section 3.1 and the newer one of RFC 9864. */
const ALGORITHMS: Readonly<Record<ProofJwk["crv"], readonly string[]>> = {
  "P-256": ["ES256"],
  Ed25519: ["EdDSA", "Ed25519"],
};

/** Every `alg` that a proof may have. */
export const PROOF_ALGORITHMS: readonly string[] = Object.values(ALGORITHMS).flat();

/** Whether signatures of this `alg` are of the key. */
export function isAlgorithmOf({ crv }: ProofJwk, algorithm: string): boolean {
  return ALGORITHMS[crv].includes(algorithm);
}

/** What only a private or a symmetric key has (RFC 7518 section 6). */
const SECRET_MEMBERS = ["d", "k", "p", "q", "dp", "dq", "qi", "oth"];

/** What is wrong with a text that should be a key; a sentence's end. */
export type JwkFault = "private" | "unknown";

/** 32 bytes in base64url without padding, in their one spelling. */
function isCoordinate(value: unknown): value is string {
  return typeof value === "string" && value.length === 43 && fromBase64url(value) !== undefined;
}

/**
 * The public key in a JWK, without whatever else the JWK says (`kid`, `use`, `key_ops`, `ext`); or its fault: `private`
 * when it holds more than the public half, `unknown` when it is no key on one of our curves. Does not check that the
 * point is on the curve: whoever names a key chooses what signatures it takes.
 */
export function readProofJwk(value: unknown): ProofJwk | JwkFault {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "unknown";
  const { kty, crv, x, y } = value as Record<string, unknown>;
  if (SECRET_MEMBERS.some((name) => Object.hasOwn(value, name))) return "private";
  if (kty === "EC" && crv === "P-256" && isCoordinate(x) && isCoordinate(y)) return { kty, crv, x, y };
  return kty === "OKP" && crv === "Ed25519" && isCoordinate(x) ? { kty, crv, x } : "unknown";
}

/** The SHA-256 thumbprint of a key (RFC 7638): base64url, 43 characters. `jkt` wherever DPoP names a key. */
export function thumbprintOf(jwk: ProofJwk): string {
  const { kty, crv, x } = jwk;
  // Section 3.2: the required members in lexicographic order, no blanks. None of the values needs escaping.
  const members = jwk.kty === "EC" ? { crv, kty, x, y: jwk.y } : { crv, kty, x };
  return toBase64url(sha256(utf8(JSON.stringify(members))));
}

/** Whether a text could be the thumbprint of a key. */
export function isThumbprint(text: string): boolean {
  return isCoordinate(text);
}

/** Why a DPoP proof is not taken, in the words of RFC 9449 section 12.2. */
export type ProofFault = "invalid_dpop_proof" | "use_dpop_nonce";

/**
 * A proof that does not prove what it must. The message is for whoever wrote the client: it names the claim at fault,
 * holds nothing of what was sent, and fits into a quoted string of a header.
 */
export class ProofError extends Error {
  readonly code: ProofFault;

  constructor(code: ProofFault, message: string) {
    super(message);
    this.name = "ProofError";
    this.code = code;
  }
}
