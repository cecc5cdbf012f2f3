import { errors, importJWK, jwtVerify } from "jose";
import type { JWTHeaderParameters, JWTPayload } from "jose";
import type { Db } from "../db/schema.ts";
import { fromBase64url } from "../lib/bytes.ts";
import type { Instant } from "../lib/time.ts";
import type { OAuthServices } from "./services.ts";
import { findVerificationKey } from "./signing-key.ts";

/** The kinds of JWT we issue, by `typ`: one is never taken for another (RFC 8725 section 3.11). */
export type JwtType = "at+jwt" | "JWT";

/** Longer ones are none of ours. */
const LONGEST = 8192;

/**
 * The claims of a JWT that we issued as this type and that has not expired; undefined for every other text. The key is
 * found by `kid` among our own and decides the algorithm: nothing else in the header counts. With `expiry: "ignored"`
 * an expired one will do, as long as its key is published (an `id_token_hint`). Does not check whose it is.
 */
export async function verifyOwnJwt(
  db: Db,
  { authority, issuer }: Pick<OAuthServices, "authority" | "issuer">,
  { token, type, expiry, now }: {
    token: string;
    type: JwtType;
    expiry: "enforced" | "ignored";
    now: Instant;
  },
): Promise<JWTPayload | undefined> {
  // One spelling for each token: decoders disagree about unused bits and what follows.
  const parts = token.split(".");
  if (token.length > LONGEST || parts.length !== 3 || parts.some((part) => !fromBase64url(part))) {
    return undefined;
  }
  const findKey = async (
    { kid, alg }: JWTHeaderParameters,
  ): Promise<Awaited<ReturnType<typeof importJWK>>> => {
    const key = typeof kid === "string" ? await findVerificationKey(db, authority, { kid, now }) : undefined;
    if (key === undefined || key.algorithm !== alg) throw new errors.JWKSNoMatchingKey();
    return await importJWK(JSON.parse(key.publicJwk), key.algorithm);
  };
  try {
    const { payload } = await jwtVerify(token, findKey, {
      issuer,
      typ: type,
      requiredClaims: ["sub", "aud", "exp", "iat"],
      // At the beginning of time nothing has expired.
      currentDate: new Date(expiry === "enforced" ? now : 0),
    });
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
