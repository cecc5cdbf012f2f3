import { errors, importJWK, type JWTHeaderParameters, type JWTPayload, jwtVerify } from "jose";
import type { TokenAlgorithm } from "../../db/schema/oauth.ts";
import type { Db } from "../../db/schema/schema.ts";
import { fromBase64url, toBase64url, utf8 } from "../../lib/bytes.ts";
import { memoize } from "../../lib/memoize.ts";
import { sha256 } from "../../lib/sha256.ts";
import { type Instant, SECOND } from "../../lib/time.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { OAuthServices } from "../services.ts";
import { findVerificationKey, type SigningKey, TOKEN_ALGORITHMS } from "./signing-key.ts";

/** The `typ` values of issued JWTs, so that no type is accepted as another (RFC 8725 section 3.11). */
export type JwtType = "at+jwt" | "JWT";

type ImportedKey = Awaited<ReturnType<typeof importJWK>>;

/** Cache of imported public keys by JWK. Importing a key costs as much as a verification. */
const importedKeys = new WeakMap<RowAuthority, Map<string, Promise<ImportedKey>>>();

/** Maximum number of cached keys. Far fewer are published at a time. */
const KEPT = 16;

function importPublicKey(
  authority: RowAuthority,
  { publicJwk, algorithm }: SigningKey,
): Promise<ImportedKey> {
  const cached = importedKeys.get(authority) ?? new Map<string, Promise<ImportedKey>>();
  importedKeys.set(authority, cached);
  return memoize(cached, publicJwk, KEPT, () => importJWK(JSON.parse(publicJwk), algorithm));
}

/** The form of key ids: SHA-256 thumbprints (RFC 7638). */
const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;

/** Longer JWTs are not issued by this service. */
export const LONGEST_JWT = 8192;

interface Verified {
  readonly kid: string;
  readonly algorithm: TokenAlgorithm;
  readonly publicJwk: string;
  readonly claims: Readonly<JWTPayload>;
}

/** Cache of verified JWTs by type and hash. Contains no token. Key and expiry are checked each time. */
const verified = new WeakMap<RowAuthority, Map<string, Verified>>();

/** Maximum number of cached JWTs, a few megabytes. The oldest are evicted first. */
const VERIFIED_KEPT = 4096;

function cacheVerified(known: Map<string, Verified>, name: string, value: Verified): void {
  if (known.size >= VERIFIED_KEPT) known.delete(known.keys().next().value!);
  known.set(name, value);
}

interface JwtExpectations {
  readonly token: string;
  readonly type: JwtType;
  readonly expiry: "enforced" | "ignored";
  readonly now: Instant;
}

/**
 * Verifies a JWT of this service and type and returns its claims. Returns undefined if it is invalid or expired.
 * `kid` selects one of the service's keys, which determines the algorithm; the rest of the header is ignored. With
 * `expiry: "ignored"`, accepts an expired JWT while its key is published (`id_token_hint`). Does not check the
 * audience.
 */
export async function verifyOwnJwt(
  db: Db,
  services: Pick<OAuthServices, "authority" | "issuer">,
  expectations: JwtExpectations,
): Promise<Readonly<JWTPayload> | undefined> {
  const { token, type, expiry, now } = expectations;
  if (token.length > LONGEST_JWT) return undefined;
  const known = verified.get(services.authority) ?? new Map<string, Verified>();
  verified.set(services.authority, known);
  const name = `${type} ${toBase64url(sha256(utf8(token)))}`;
  const found = known.get(name);
  if (found === undefined) {
    return await verifySignature(db, services, expectations, (value) => cacheVerified(known, name, value));
  }
  const { kid, algorithm, publicJwk, claims } = found;
  const key = await findVerificationKey(db, services.authority, { kid, algorithm, now });
  if (key?.publicJwk !== publicJwk || claims.iss !== services.issuer) return undefined;
  // Same check as in the first verification: RFC 7519 section 4.1.4, in whole seconds.
  return expiry === "ignored" || claims.exp! > Math.floor(now / SECOND) ? claims : undefined;
}

async function verifySignature(
  db: Db,
  { authority, issuer }: Pick<OAuthServices, "authority" | "issuer">,
  { token, type, expiry, now }: JwtExpectations,
  onVerified: (value: Verified) => void,
): Promise<Readonly<JWTPayload> | undefined> {
  // Accepts one spelling of each token: decoders differ on unused bits and trailing characters.
  const parts = token.split(".");
  if (parts.length !== 3 || parts.some((part) => !fromBase64url(part))) return undefined;
  let by: SigningKey | undefined;
  const findKey = async (
    { kid, alg }: JWTHeaderParameters,
  ): Promise<ImportedKey> => {
    // The header is unverified until the signature is.
    const algorithm = TOKEN_ALGORITHMS.find((known) => known === alg);
    const isNamed = typeof kid === "string" && THUMBPRINT.test(kid) && algorithm !== undefined;
    const key = isNamed ? await findVerificationKey(db, authority, { kid, algorithm, now }) : undefined;
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    by = key;
    return await importPublicKey(authority, key);
  };
  try {
    const { payload } = await jwtVerify(token, findKey, {
      issuer,
      typ: type,
      requiredClaims: ["sub", "aud", "exp", "iat"],
      // At time 0 no JWT has expired.
      currentDate: new Date(expiry === "enforced" ? now : 0),
    });
    // Issued JWTs have no nbf, which would have to be checked each time.
    if (by !== undefined && payload.nbf === undefined) {
      const { kid, algorithm, publicJwk } = by;
      onVerified({ kid, algorithm, publicJwk, claims: payload });
    }
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
