import assert from "node:assert/strict";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { compactVerify, createLocalJWKSet, decodeProtectedHeader } from "jose";
import type { JSONWebKeySet } from "jose";
import { toBase64url, utf8 } from "../../src/lib/bytes.ts";
import { pathOf } from "./op.ts";
import type { Op } from "./op.ts";

/** The claims of a verified ID token. */
export interface IdTokenClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: string | readonly string[];
  readonly iat: number;
  readonly exp: number;
  readonly auth_time?: number;
  readonly nonce?: string;
  readonly [name: string]: unknown;
}

/** The values that the relying party expects in an ID token. */
export interface Expected {
  readonly audience: string;
  /** Undefined if the request had none. */
  readonly nonce: string | undefined;
  readonly mustHaveAuthTime?: boolean;
  /** ES256 by default. */
  readonly algorithm?: string;
}

const HASHES: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
  ES256: sha256,
  RS256: sha256,
  EdDSA: sha512,
};

/** Fetches the provider's published keys. */
export async function fetchKeys(op: Op): Promise<JSONWebKeySet> {
  const { status, body, text } = await op.client().get(pathOf(op, "jwks_uri"));
  assert.equal(status, 200, text);
  return body;
}

/** Verifies the signature of an ID token with the published key that its header names. Returns the claims. */
async function readIdToken(op: Op, idToken: string, algorithm: string): Promise<IdTokenClaims> {
  const { alg, kid } = decodeProtectedHeader(idToken);
  assert.equal(alg, algorithm, "the ID token must be signed with the client's registered algorithm");
  const keys = await fetchKeys(op);
  assert.equal(keys.keys.filter((key) => key.kid === kid).length, 1, "kid must name one published key");
  const { payload } = await compactVerify(idToken, createLocalJWKSet(keys), { algorithms: [algorithm] });
  return JSON.parse(new TextDecoder().decode(payload));
}

/** Checks that a claim is a time in whole seconds of this century. */
function checkTime(claims: IdTokenClaims, name: "iat" | "exp" | "auth_time" | "nbf"): void {
  const value = claims[name];
  assert.ok(Number.isSafeInteger(value), `${name} must be a whole number`);
  assert.ok((value as number) > 946_684_800 && (value as number) < 4_102_444_800, `${name} in seconds`);
}

function checkTimes(op: Op, claims: IdTokenClaims, mustHaveAuthTime: boolean): void {
  const now = Math.floor(op.now() / 1000);
  for (const name of ["iat", "exp"] as const) checkTime(claims, name);
  assert.ok(claims.exp > now, "exp must be in the future");
  assert.ok(claims.iat <= now, "iat must not be in the future");
  assert.ok(claims.iat > now - 300, "iat must be within the last 5 minutes");
  if (claims["nbf"] !== undefined) {
    checkTime(claims, "nbf");
    assert.ok(claims["nbf"] as number <= now, "nbf must not be in the future");
  }
  if (mustHaveAuthTime) assert.ok(claims.auth_time !== undefined, "auth_time is required after max_age");
  if (claims.auth_time === undefined) return;
  checkTime(claims, "auth_time");
  assert.ok(claims.auth_time <= claims.iat, "auth_time must not be after iat");
}

function checkSubject({ sub }: IdTokenClaims): void {
  assert.equal(typeof sub, "string", "sub must be a string");
  assert.match(sub, /^[\x21-\x7E]{1,255}$/, "sub must be 1 to 255 characters of ASCII");
}

function checkAudience(claims: IdTokenClaims, audience: string): void {
  const audiences = Array.isArray(claims.aud) ? claims.aud : [claims.aud];
  assert.deepEqual(audiences, [audience], "aud must be the client alone");
  if (claims["azp"] !== undefined) assert.equal(claims["azp"], audience);
}

/** Checks an ID token (OpenID Connect Core sections 2, 3.1.3.6 and 3.1.3.7). Returns its claims. */
export async function checkIdToken(
  op: Op,
  tokens: { id_token?: unknown; access_token: string },
  { audience, nonce, mustHaveAuthTime = false, algorithm = "ES256" }: Expected,
): Promise<IdTokenClaims> {
  assert.equal(typeof tokens.id_token, "string", "an ID token is required");
  const claims = await readIdToken(op, tokens.id_token as string, algorithm);
  assert.equal(claims.iss, op.metadata.issuer, "iss must be the issuer, exactly");
  checkSubject(claims);
  checkAudience(claims, audience);
  checkTimes(op, claims, mustHaveAuthTime);
  assert.equal(claims.nonce, nonce, "nonce must be the one that was sent, or absent");
  if (claims["acr"] !== undefined) {
    assert.ok(typeof claims["acr"] === "string" && claims["acr"] !== "", "acr must not be empty");
  }
  if (claims["amr"] !== undefined) {
    const isList = Array.isArray(claims["amr"]) && claims["amr"].every((value) => typeof value === "string");
    assert.ok(isList, "amr must be a list of strings");
  }
  if (claims["at_hash"] !== undefined) {
    const hash = HASHES[algorithm]!(utf8(tokens.access_token));
    assert.equal(claims["at_hash"], toBase64url(hash.subarray(0, hash.length / 2)), "at_hash must be right");
  }
  return claims;
}
