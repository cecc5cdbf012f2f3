import { fromBase64url, toBase64url, utf8 } from "../../lib/bytes.ts";
import type { PublicJwk } from "../../lib/crypto.ts";
import { sha256 } from "../../lib/sha256.ts";

/** A public key of proofs (RFC 7517), on P-256 or Ed25519. */
export type ProofJwk = Extract<PublicJwk, { readonly kty: "EC" | "OKP" }>;

/** The `alg` names for each curve: RFC 7518 section 3.1, RFC 8037 section 3.1 and RFC 9864. */
const ALGORITHMS: Readonly<Record<ProofJwk["crv"], readonly string[]>> = {
  "P-256": ["ES256"],
  Ed25519: ["EdDSA", "Ed25519"],
};

export const PROOF_ALGORITHMS: readonly string[] = Object.values(ALGORITHMS).flat();

export function isAlgorithmOf({ crv }: ProofJwk, algorithm: string): boolean {
  return ALGORITHMS[crv].includes(algorithm);
}

/** Members of private and symmetric keys (RFC 7518 section 6). */
export const SECRET_MEMBERS = ["d", "k", "p", "q", "dp", "dq", "qi", "oth"];

export type JwkFault = "private" | "unknown";

/** Returns true for 32 bytes in canonical base64url without padding. */
function isCoordinate(value: unknown): value is string {
  return typeof value === "string" && value.length === 43 && fromBase64url(value) !== undefined;
}

/**
 * Parses a public key from a JWK and drops other members (`kid`, `use`, `key_ops`, `ext`). Returns `private` if the
 * JWK contains private members, or `unknown` for an unsupported key. Does not check that the point is on the curve:
 * the client chooses the key, and so which signatures are valid.
 */
export function readProofJwk(value: unknown): ProofJwk | JwkFault {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "unknown";
  const { kty, crv, x, y } = value as Record<string, unknown>;
  if (SECRET_MEMBERS.some((name) => Object.hasOwn(value, name))) return "private";
  if (kty === "EC" && crv === "P-256" && isCoordinate(x) && isCoordinate(y)) return { kty, crv, x, y };
  return kty === "OKP" && crv === "Ed25519" && isCoordinate(x) ? { kty, crv, x } : "unknown";
}

/** Returns the SHA-256 thumbprint of a key (RFC 7638): base64url, 43 characters. DPoP calls it `jkt`. */
export function thumbprintOf(jwk: ProofJwk): string {
  const { kty, crv, x } = jwk;
  // Section 3.2: the required members in lexicographic order without whitespace. No value needs escaping.
  const members = jwk.kty === "EC" ? { crv, kty, x, y: jwk.y } : { crv, kty, x };
  return toBase64url(sha256(utf8(JSON.stringify(members))));
}

export function isThumbprint(text: string): boolean {
  return isCoordinate(text);
}

/** The error codes of RFC 9449 section 12.2. */
export type ProofFault = "invalid_dpop_proof" | "use_dpop_nonce";

/** An invalid proof. The developer's message names the claim, contains no input, and fits a header's quoted string. */
export class ProofError extends Error {
  readonly code: ProofFault;

  constructor(code: ProofFault, message: string) {
    super(message);
    this.name = "ProofError";
    this.code = code;
  }
}
