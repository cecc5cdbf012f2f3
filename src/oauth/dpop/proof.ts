import { fromBase64url, toBase64url, utf8 } from "../../lib/bytes.ts";
import type { ImportVerifier, SignatureVerifier } from "../../lib/crypto.ts";
import { recall } from "../../lib/memoize.ts";
import { sha256 } from "../../lib/sha256.ts";
import { MINUTE, SECOND } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import { isAlgorithmOf, PROOF_ALGORITHMS, ProofError, readProofJwk, thumbprintOf } from "./proof-key.ts";
import type { ProofJwk } from "./proof-key.ts";

/** How far a proof's `iat` may be from our clock. The nonce says when it was made; this keeps out what is plainly wrong. */
export const PROOF_WINDOW = 5 * MINUTE;

/** Longer ones are no proof that anybody needs. */
const LONGEST_PROOF = 4096;
const LONGEST_ID = 256;

/** What a proof must be of. */
export interface ProofQuestion {
  /** The `DPoP` header as it came: of several, the values stand one after another, with commas between. */
  readonly header: string | null;
  readonly method: string;
  /** The request's target on our own origin. Query and fragment do not count. */
  readonly target: URL;
  /** The token that comes with it; undefined at the token endpoint. */
  readonly accessToken: string | undefined;
  /** The thumbprint of the key that must have signed; undefined for any. */
  readonly boundTo: string | undefined;
  readonly importVerifier: ImportVerifier;
  /** Until when a nonce counts; undefined for one that does not. */
  readonly endOfNonce: (nonce: string) => Instant | undefined;
  readonly now: Instant;
}

/** A proof that was found in order. It counts once: whoever relies on it spends it (`spend-proof.ts`). */
export interface Proof {
  /** The thumbprint of its key. */
  readonly jkt: string;
  /** Its `jti`. */
  readonly id: string;
  /** When its nonce counts no more: nobody needs to remember it for longer. */
  readonly endsAt: Instant;
}

/** What the protected header of a proof says, read once: a client's proofs all have the same. */
interface ProofHeader {
  readonly jkt: string;
  readonly verify: SignatureVerifier;
}

/** Headers whose keys were imported, by their text. */
export type KnownProofHeaders = Map<string, ProofHeader>;

/** Headers that are kept; when there are more, all are read again. */
const KEPT = 1024;

function fail(message: string): never {
  throw new ProofError("invalid_dpop_proof", message);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The object in a part of a JWT (RFC 7515 section 3.1). */
function readPart(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(decoder.decode(fromBase64url(part)));
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // No JSON in it, or no text, or no base64url.
  }
  fail("The DPoP proof is no JWT: header and claims must be JSON objects in base64url");
}

/** Section 4.3, points 4, 5 and 7: the type, an asymmetric algorithm that we have, a public key that fits it. */
function checkHeader(part: string): ProofJwk {
  const { typ, alg, jwk: value, crit } = readPart(part);
  if (typ !== "dpop+jwt") fail("The DPoP proof's typ must be dpop+jwt");
  if (typeof alg !== "string" || !PROOF_ALGORITHMS.includes(alg)) {
    fail(`The DPoP proof's alg must be one of ${PROOF_ALGORITHMS.join(", ")}`);
  }
  if (crit !== undefined) fail("The DPoP proof must have no crit: no extension is understood here");
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
 * Whether a URI is the target once both are normalised (RFC 3986 sections 6.2.2 and 6.2.3): case of scheme and host, the
 * default port, dot segments. Query and fragment of either are not looked at.
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
  { method, target, accessToken, endOfNonce, now }: ProofQuestion,
): Pick<Proof, "id" | "endsAt"> {
  if (typeof jti !== "string" || jti === "" || jti.length > LONGEST_ID) {
    fail(`The DPoP proof's jti must be a text of 1 to ${LONGEST_ID} characters`);
  }
  if (htm !== method) fail("The DPoP proof's htm must be the method of this request");
  if (!isTarget(htu, target)) {
    fail("The DPoP proof's htu must be the address of this request, on the service's public origin");
  }
  if (typeof iat !== "number" || !(Math.abs(iat * SECOND - now) <= PROOF_WINDOW)) {
    fail("The DPoP proof's iat must be the present time, in seconds since 1970");
  }
  if (accessToken !== undefined && ath !== toBase64url(sha256(utf8(accessToken)))) {
    fail("The DPoP proof's ath must be the base64url SHA-256 of the token that comes with it");
  }
  const endsAt = typeof nonce === "string" ? endOfNonce(nonce) : undefined;
  if (endsAt === undefined) {
    const message = nonce === undefined
      ? "Send the value of DPoP-Nonce as nonce of the DPoP proof"
      : "The DPoP proof's nonce is over: send the value of DPoP-Nonce";
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
 * Checks a DPoP proof (RFC 9449 section 4.3, all points but the one use of `jti`, which `spendProof` sees to). Throws a
 * ProofError. A nonce is missed last of all, so that whoever is told of one has a proof that is right in all else.
 */
export function verifyProof(known: KnownProofHeaders, question: ProofQuestion): Proof {
  const { header: proof, boundTo } = question;
  if (proof === null || proof === "") fail("Send a DPoP proof");
  if (proof.includes(",")) fail("Send one DPoP header");
  const [head, payload, signature, ...more] = proof.split(".");
  if (proof.length > LONGEST_PROOF || signature === undefined || more.length > 0) {
    fail("The DPoP proof is no JWT");
  }
  const header = recall(known, head!, KEPT, (part) => readHeader(part, question.importVerifier));
  if (boundTo !== undefined && header.jkt !== boundTo) {
    fail("The DPoP proof's key must be the one that the token is bound to");
  }
  const claims = readPart(payload!);
  if (!isSigned(header, `${head}.${payload}`, signature)) fail("The DPoP proof's signature is wrong");
  return { jkt: header.jkt, ...checkClaims(claims, question) };
}
