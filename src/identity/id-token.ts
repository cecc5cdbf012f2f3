import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { errors, jwtVerify } from "jose";
import type { JWTPayload, JWTVerifyGetKey } from "jose";
import { toBase64url, utf8 } from "../lib/bytes.ts";
import type { Instant } from "../lib/time.ts";
import { check, IdentityError } from "./error.ts";
import type { IdentityFault } from "./error.ts";

type Hash = (message: Uint8Array) => Uint8Array;

/** Signatures that are accepted, with the hash that `at_hash` is made with: asymmetric ones only (RFC 8725 section 3.1). */
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

/** By how many seconds the provider's clock may differ from ours. */
const CLOCK_TOLERANCE = 60;

/** How many seconds ago a token may have been made: it was asked for just now. */
const LONGEST_AGE = 600;

/** What a token must say to be the answer to our question. */
export interface ExpectedIdToken {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
  readonly accessToken: string;
  readonly now: Instant;
}

/** The claims of a verified ID token. */
export type IdTokenClaims = JWTPayload & { readonly sub: string };

/** Which of our codes stands for a failed claim. */
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
 * The claims of an ID token that came straight from the token endpoint, by OpenID Connect Core section 3.1.3.7:
 * signature by one of the provider's keys and an asymmetric algorithm, issuer, audience and authorized party, times,
 * nonce, and `at_hash` where there is one (section 3.1.3.8). Throws an IdentityError. Does not look at `acr`, `amr` or
 * `auth_time`: nobody is signed in by this alone.
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
  // Section 3.1.3.7 step 3: whom else it is for, nobody here trusts.
  check(!Array.isArray(aud) || aud.every((audience) => audience === clientId), "id_token_aud");
  check(azp === undefined || azp === clientId, "id_token_azp");
  check(payload["nonce"] === nonce, "id_token_nonce");
  const expected = tokenHash(ALGORITHMS[protectedHeader.alg]!, accessToken);
  check(atHash === undefined || atHash === expected, "id_token_at_hash");
  return { ...payload, sub };
}

/** The left half of the hash, base64url (OpenID Connect Core section 3.1.3.6). */
function tokenHash(hash: Hash, token: string): string {
  const whole = hash(utf8(token));
  return toBase64url(whole.slice(0, whole.length / 2));
}

/** Our code for what jose found. What the key set found has its own already. */
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
