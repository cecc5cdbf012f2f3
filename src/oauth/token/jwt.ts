import { errors, importJWK, jwtVerify } from "jose";
import type { JWTHeaderParameters, JWTPayload } from "jose";
import type { TokenAlgorithm } from "../../db/schema/oauth.ts";
import type { Db } from "../../db/schema/schema.ts";
import { fromBase64url, toBase64url, utf8 } from "../../lib/bytes.ts";
import { recall } from "../../lib/memoize.ts";
import { sha256 } from "../../lib/sha256.ts";
import { SECOND } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import type { RowAuthority } from "../../vault/authority.ts";
import type { OAuthServices } from "../services.ts";
import { findVerificationKey, TOKEN_ALGORITHMS } from "./signing-key.ts";
import type { SigningKey } from "./signing-key.ts";

/** The kinds of JWT we issue, by `typ`: one is never taken for another (RFC 8725 section 3.11). */
export type JwtType = "at+jwt" | "JWT";

type ImportedKey = Awaited<ReturnType<typeof importJWK>>;

/** Public keys as they verify, by what is published of them: importing one costs as much as verifying with it. */
const importedKeys = new WeakMap<RowAuthority, Map<string, Promise<ImportedKey>>>();

/** Imported keys that are kept. Far fewer are published at a time. */
const KEPT = 16;

function importPublicKey(
  authority: RowAuthority,
  { publicJwk, algorithm }: SigningKey,
): Promise<ImportedKey> {
  const kept = importedKeys.get(authority) ?? new Map<string, Promise<ImportedKey>>();
  importedKeys.set(authority, kept);
  return recall(kept, publicJwk, KEPT, () => importJWK(JSON.parse(publicJwk), algorithm));
}

/** What our keys are called: SHA-256 thumbprints (RFC 7638). */
const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/;

/** Longer ones are none of ours. */
const LONGEST = 8192;

/** A JWT whose signature, issuer, type and claims were in order by this key. */
interface Verified {
  readonly kid: string;
  readonly algorithm: TokenAlgorithm;
  readonly publicJwk: string;
  readonly claims: Readonly<JWTPayload>;
}

/**
 * JWTs that were verified, by type and hash: the same bytes and key have the same outcome, and a client shows a token
 * many times. No token is kept, and nothing that can change: key and expiry are looked at each time.
 */
const verified = new WeakMap<RowAuthority, Map<string, Verified>>();

/** JWTs that are kept: the oldest go first. A few megabytes. */
const VERIFIED_KEPT = 4096;

function remember(known: Map<string, Verified>, name: string, value: Verified): void {
  if (known.size >= VERIFIED_KEPT) known.delete(known.keys().next().value!);
  known.set(name, value);
}

interface JwtQuestion {
  readonly token: string;
  readonly type: JwtType;
  readonly expiry: "enforced" | "ignored";
  readonly now: Instant;
}

/**
 * The claims of a JWT that we issued as this type and that has not expired; undefined for every other text. The key is
 * found by `kid` among our own and decides the algorithm: nothing else in the header counts. With `expiry: "ignored"`
 * an expired one will do, as long as its key is published (an `id_token_hint`). Does not check whose it is.
 */
export async function verifyOwnJwt(
  db: Db,
  services: Pick<OAuthServices, "authority" | "issuer">,
  question: JwtQuestion,
): Promise<Readonly<JWTPayload> | undefined> {
  const { token, type, expiry, now } = question;
  if (token.length > LONGEST) return undefined;
  const known = verified.get(services.authority) ?? new Map<string, Verified>();
  verified.set(services.authority, known);
  const name = `${type} ${toBase64url(sha256(utf8(token)))}`;
  const found = known.get(name);
  if (found === undefined) {
    return await verifySignature(db, services, question, (value) => remember(known, name, value));
  }
  const { kid, algorithm, publicJwk, claims } = found;
  const key = await findVerificationKey(db, services.authority, { kid, algorithm, now });
  if (key?.publicJwk !== publicJwk || claims.iss !== services.issuer) return undefined;
  // As is checked at the first time: RFC 7519 section 4.1.4, in whole seconds.
  return expiry === "ignored" || claims.exp! > Math.floor(now / SECOND) ? claims : undefined;
}

async function verifySignature(
  db: Db,
  { authority, issuer }: Pick<OAuthServices, "authority" | "issuer">,
  { token, type, expiry, now }: JwtQuestion,
  onVerified: (value: Verified) => void,
): Promise<Readonly<JWTPayload> | undefined> {
  // One spelling for each token: decoders disagree about unused bits and what follows.
  const parts = token.split(".");
  if (parts.length !== 3 || parts.some((part) => !fromBase64url(part))) return undefined;
  let by: SigningKey | undefined;
  const findKey = async (
    { kid, alg }: JWTHeaderParameters,
  ): Promise<ImportedKey> => {
    // The header is anybody's word as long as no signature was verified.
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
      // At the beginning of time nothing has expired.
      currentDate: new Date(expiry === "enforced" ? now : 0),
    });
    // None of ours has an nbf, which is another thing to look at each time.
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
