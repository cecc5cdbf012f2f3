import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey } from "jose";
import { toBase64url, utf8 } from "../lib/bytes.ts";
import type { Instant } from "../lib/time.ts";
import { check, IdentityError, type IdentityFault } from "./error.ts";

type Hash = (message: Uint8Array) => Uint8Array;

/** The signature algorithms, asymmetric only (RFC 8725 section 3.1), and the hash that each uses for `at_hash`. */
const ALGORITHMS: Readonly<Record<string, Hash>> = {
  RS256: sha256,
  RS384: sha384,
  RS512: sha512,
  PS256: sha256,
  PS384: sha384,
  PS512: sha512,
  ES256: sha256,
  ES384: sha384,
  ES512: sha512,
  EdDSA: sha512,
  Ed25519: sha512,
};

/** The accepted clock difference in seconds. */
const CLOCK_TOLERANCE = 60;

/** The maximum age of a token in seconds. A token is issued in response to the current request. */
const LONGEST_AGE = 600;

export interface ExpectedIdToken {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  readonly accessToken: string;
  readonly now: Instant;
}

export type IdTokenClaims = JWTPayload & { readonly sub: string };

const CLAIM_FAULTS: Readonly<Record<string, IdentityFault>> = {
  iss: "id_token_iss",
  aud: "id_token_aud",
  exp: "id_token_exp",
  iat: "id_token_iat",
  nbf: "id_token_nbf",
  sub: "id_token_sub",
  nonce: "id_token_nonce",
};

/**
 * Verifies an ID token from the token endpoint (OpenID Connect Core section 3.1.3.7). Checks the signature by an
 * asymmetric key of the provider, issuer, audience, authorized party, times and nonce. Checks `at_hash` if present
 * (section 3.1.3.8). Does not check `acr`, `amr` or `auth_time`, because a third-party sign-in alone starts no session.
 * Throws an IdentityError.
 */
export async function verifyIdToken(
  idToken: string,
  getKey: JWTVerifyGetKey,
  { issuer, clientId, nonce, accessToken, now }: ExpectedIdToken,
): Promise<IdTokenClaims> {
  const { payload, protectedHeader } = await jwtVerify(idToken, getKey, {
    algorithms: Object.keys(ALGORITHMS),
    issuer,
    audience: clientId,
    currentDate: new Date(now),
    clockTolerance: CLOCK_TOLERANCE,
    maxTokenAge: LONGEST_AGE,
    requiredClaims: ["exp", "iat", "sub", "nonce"],
  }).catch((error: unknown) => {
    throw new IdentityError(faultOf(error));
  });
  const { sub, aud, azp, at_hash: atHash } = payload;
  check(typeof sub === "string" && /^[\x20-\x7e]{1,255}$/.test(sub), "id_token_sub");
  // Section 3.1.3.7 step 3: refuses a token with additional audiences, because none is trusted.
  check(!Array.isArray(aud) || aud.every((audience) => audience === clientId), "id_token_aud");
  check(azp === undefined || azp === clientId, "id_token_azp");
  check(payload["nonce"] === nonce, "id_token_nonce");
  const expected = tokenHash(ALGORITHMS[protectedHeader.alg]!, accessToken);
  check(atHash === undefined || atHash === expected, "id_token_at_hash");
  return { ...payload, sub };
}

/** Returns the left half of the hash in base64url (OpenID Connect Core section 3.1.3.6). */
function tokenHash(hash: Hash, token: string): string {
  const whole = hash(utf8(token));
  return toBase64url(whole.slice(0, whole.length / 2));
}

/** Maps an error of jose to a fault. Keeps the code of an IdentityError from the key set. */
function faultOf(error: unknown): IdentityFault {
  if (error instanceof IdentityError) return error.code;
  if (error instanceof errors.JWTExpired || error instanceof errors.JWTClaimValidationFailed) {
    return CLAIM_FAULTS[error.claim] ?? "id_token_malformed";
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return "id_token_alg";
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) {
    return "id_token_key";
  }
  return error instanceof errors.JWSSignatureVerificationFailed ? "id_token_signature" : "id_token_malformed";
}
