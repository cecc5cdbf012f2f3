import { fromBase64url, toBase64url, utf8 } from "../../lib/bytes.ts";
import type { ImportVerifier, SignatureVerifier } from "../../lib/crypto.ts";
import { memoize } from "../../lib/memoize.ts";
import { sha256 } from "../../lib/sha256.ts";
import { type Instant, MINUTE, SECOND } from "../../lib/time.ts";
import { isAlgorithmOf, PROOF_ALGORITHMS, ProofError, readProofJwk, thumbprintOf } from "./proof-key.ts";
import type { ProofJwk } from "./proof-key.ts";

/** Maximum difference between a proof's `iat` and the clock. Only a sanity check: the nonce limits the age. */
export const PROOF_WINDOW = 5 * MINUTE;

const LONGEST_PROOF = 4096;
const LONGEST_ID = 256;

export interface ProofExpectations {
  /** The unparsed `DPoP` header. Several headers are joined with commas. */
  readonly header: string | null;
  readonly method: string;
  /** The request's target on the service's own origin. Query and fragment are ignored. */
  readonly target: URL;
  /** The access token of the request. Undefined at the token endpoint. */
  readonly accessToken: string | undefined;
  /** The thumbprint of the required key. Undefined for any key. */
  readonly boundTo: string | undefined;
  readonly importVerifier: ImportVerifier;
  /** Returns the expiry of a nonce, or undefined if it is not valid. */
  readonly endOfNonce: (nonce: string) => Instant | undefined;
  readonly now: Instant;
}

/** A verified proof. It is valid once: the caller must mark it as used (`consumeProof`). */
export interface Proof {
  readonly jkt: string;
  /** Its `jti`. */
  readonly id: string;
  /** The expiry of its nonce, until which the proof must be recorded as used. */
  readonly endsAt: Instant;
}

/** A parsed protected header. All proofs of a client have the same. */
interface ProofHeader {
  readonly jkt: string;
  readonly verify: SignatureVerifier;
}

export type KnownProofHeaders = Map<string, ProofHeader>;

/** Maximum number of cached headers. */
const KEPT = 1024;

function fail(message: string): never {
  throw new ProofError("invalid_dpop_proof", message);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Parses a part of a JWT as a JSON object (RFC 7515 section 3.1). */
function readPart(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(decoder.decode(fromBase64url(part)));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Not base64url, UTF-8 or JSON.
  }
  fail("The DPoP proof is not a JWT: header and claims must be JSON objects in base64url");
}

/** Section 4.3, points 4, 5 and 7: the type, a supported asymmetric algorithm, and a public key that fits it. */
function checkHeader(part: string): ProofJwk {
  const { typ, alg, jwk: value, crit } = readPart(part);
  if (typ !== "dpop+jwt") fail("The DPoP proof's typ must be dpop+jwt");
  if (typeof alg !== "string" || !PROOF_ALGORITHMS.includes(alg)) {
    fail(`The DPoP proof's alg must be one of ${PROOF_ALGORITHMS.join(", ")}`);
  }
  if (crit !== undefined) fail("The DPoP proof must have no crit: this service supports no extension");
  const jwk = readProofJwk(value);
  if (jwk === "private") fail("The DPoP proof's jwk must be the public key alone");
  if (jwk === "unknown") fail("The DPoP proof's jwk must be a public key on P-256 or Ed25519");
  if (!isAlgorithmOf(jwk, alg)) fail("The DPoP proof's alg must be of its key");
  return jwk;
}

function readHeader(part: string, importVerifier: ImportVerifier): ProofHeader {
  const jwk = checkHeader(part);
  try {
    return { jkt: thumbprintOf(jwk), verify: importVerifier(jwk, "ieee-p1363") };
  } catch {
    fail("The DPoP proof's jwk must be a point of its curve");
  }
}

/**
 * Returns true if a URI equals the target after normalisation (RFC 3986 sections 6.2.2 and 6.2.3): case of scheme and
 * host, default port, dot segments. Ignores query and fragment.
 */
function isTarget(htu: unknown, target: URL): boolean {
  const expected = target.origin + target.pathname;
  if (htu === expected) return true;
  const named = typeof htu === "string" ? URL.parse(htu) : null;
  if (named === null) return false;
  named.search = "";
  named.hash = "";
  return named.href === expected;
}

function checkClaims(
  { htm, htu, iat, ath, jti, nonce }: Readonly<Record<string, unknown>>,
  { method, target, accessToken, endOfNonce, now }: ProofExpectations,
): Pick<Proof, "id" | "endsAt"> {
  if (typeof jti !== "string" || jti === "" || jti.length > LONGEST_ID) {
    fail(`The DPoP proof's jti must be a text of 1 to ${LONGEST_ID} characters`);
  }
  if (htm !== method) fail("The DPoP proof's htm must be the method of this request");
  if (!isTarget(htu, target)) {
    fail("The DPoP proof's htu must be the address of this request, on the service's public origin");
  }
  if (typeof iat !== "number" || !(Math.abs(iat * SECOND - now) <= PROOF_WINDOW)) {
    fail("The DPoP proof's iat must be the current time, in seconds since 1970");
  }
  if (accessToken !== undefined && ath !== toBase64url(sha256(utf8(accessToken)))) {
    fail("The DPoP proof's ath must be the base64url SHA-256 of the token that comes with it");
  }
  const endsAt = typeof nonce === "string" ? endOfNonce(nonce) : undefined;
  if (endsAt === undefined) {
    const message = nonce === undefined
      ? "Send the value of DPoP-Nonce as nonce of the DPoP proof"
      : "The DPoP proof's nonce has expired: send the value of DPoP-Nonce";
    throw new ProofError("use_dpop_nonce", message);
  }
  return { id: jti, endsAt };
}

/** Returns true if the signature is 64 bytes, R and S of ECDSA or Ed25519 (RFC 8037 section 3.1), and valid. */
function isSigned({ verify }: ProofHeader, text: string, signature: string): boolean {
  const bytes = fromBase64url(signature);
  return bytes?.length === 64 && verify(utf8(text), bytes);
}

/**
 * Verifies a DPoP proof (RFC 9449 section 4.3) except for the single use of `jti`, which `consumeProof` checks. Checks
 * the nonce last, so that a client that gets a new nonce has a proof valid in all else. Throws a ProofError.
 */
export function verifyProof(known: KnownProofHeaders, expectations: ProofExpectations): Proof {
  const { header: proof, boundTo } = expectations;
  if (proof === null || proof === "") fail("Send a DPoP proof");
  if (proof.includes(",")) fail("Send one DPoP header");
  const [head, payload, signature, ...more] = proof.split(".");
  if (proof.length > LONGEST_PROOF || signature === undefined || more.length > 0) {
    fail("The DPoP proof is not a JWT");
  }
  const header = memoize(known, head!, KEPT, (part) => readHeader(part, expectations.importVerifier));
  if (boundTo !== undefined && header.jkt !== boundTo) {
    fail("The DPoP proof's key must be the one that the token is bound to");
  }
  const claims = readPart(payload!);
  if (!isSigned(header, `${head}.${payload}`, signature)) fail("The DPoP proof's signature is wrong");
  return { jkt: header.jkt, ...checkClaims(claims, expectations) };
}
