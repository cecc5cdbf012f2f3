import { errors, importJWK, jwtVerify } from "jose";
import type { JWTHeaderParameters, JWTPayload } from "jose";
import type { Db } from "../db/schema.ts";
import { fromBase64url } from "../lib/bytes.ts";
import type { Instant } from "../lib/time.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { OAuthServices } from "./services.ts";
import { findVerificationKey } from "./signing-key.ts";
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
  let imported = kept.get(publicJwk);
  if (imported === undefined) {
    if (kept.size >= KEPT) kept.clear();
    imported = importJWK(JSON.parse(publicJwk), algorithm);
    kept.set(publicJwk, imported);
  }
  return imported;
}

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
  ): Promise<ImportedKey> => {
    const key = typeof kid === "string" ? await findVerificationKey(db, authority, { kid, now }) : undefined;
    if (key === undefined || key.algorithm !== alg) throw new errors.JWKSNoMatchingKey();
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
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
