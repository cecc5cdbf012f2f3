import type { JWTPayload } from "jose";
import type { Db } from "../../db/schema/schema.ts";
import { newId, type RandomBytes } from "../../lib/id.ts";
import { type Instant, SECOND } from "../../lib/time.ts";
import { grantedDetail, type SigningDetail } from "../authorization-details.ts";
import { endOfGrant, findGrant, findParties, type Grant, type LiveGrant } from "../grant.ts";
import { verifyOwnJwt } from "./jwt.ts";
import type { OAuthServices } from "../services.ts";
import { includesScope } from "../scope.ts";
import { type SigningKey, TOKEN_LIFETIME } from "./signing-key.ts";
import type { TokenRights } from "./token-rights.ts";

/** Returns whole seconds since 1970 (RFC 7519 section 2, NumericDate). */
export function numericDate(instant: Instant): number {
  return Math.floor(instant / SECOND);
}

/** Returns the expiry of a new access token: an hour from now, or the end of its grant if earlier. */
export function accessTokenEnd(grant: Grant, now: Instant): Instant {
  return Math.min(now + TOKEN_LIFETIME, endOfGrant(grant));
}

/** Issues a JWT access token (RFC 9068 section 2). The private claim `grant_id` ties it to its grant. */
export async function issueAccessToken(
  services: Pick<OAuthServices, "vault" | "issuer">,
  { grant, rights, key, jkt, now, random }: {
    grant: Grant;
    rights: TokenRights;
    key: SigningKey;
    /** The thumbprint of the key to which it is bound (RFC 9449 section 6.1). Undefined for a bearer token. */
    jkt: string | undefined;
    now: Instant;
    random: RandomBytes;
  },
): Promise<string> {
  return await services.vault.signJwt(key, "at+jwt", {
    iss: services.issuer,
    sub: grant.account_id,
    aud: services.issuer,
    client_id: grant.client_id,
    scope: rights.scope,
    auth_time: numericDate(grant.authenticated_at),
    iat: numericDate(now),
    exp: numericDate(accessTokenEnd(grant, now)),
    jti: newId("token", random),
    grant_id: grant.id,
    ...(jkt === undefined ? {} : { cnf: { jkt } }),
    // The full details are read from the grant's row each time (RFC 9396 section 9.1).
    ...(rights.isNarrowed ? { authorization_details: [rights.detail] } : {}),
  });
}

/** Reads the thumbprint from `cnf` (RFC 9449 section 6.1). The service itself signed it. */
function jktOf({ cnf }: Readonly<JWTPayload>): string | undefined {
  return (cnf as { readonly jkt: string } | undefined)?.jkt;
}

export interface LiveAccessToken extends LiveGrant {
  readonly scope: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly tokenId: string;
  /** The thumbprint of the key to which it is bound. Undefined for a bearer token. */
  readonly jkt: string | undefined;
  readonly detail: SigningDetail | undefined;
}

/** Returns the permission to sign from the token if it was narrowed, otherwise from the grant. */
function detailOf(
  { authorization_details: narrowed, scope }: Readonly<JWTPayload>,
  grant: Grant,
): SigningDetail | undefined {
  if (!includesScope(String(scope), "keys:sign")) return undefined;
  return narrowed === undefined ? grantedDetail(grant) : (narrowed as readonly SigningDetail[])[0];
}

interface IssuedAccessToken {
  readonly claims: Readonly<JWTPayload>;
  readonly grant: Grant;
}

/**
 * Verifies an access token as a resource server does (RFC 9068 section 4) and returns it with its grant. Returns
 * undefined if the grant has ended. Does not check that client and account are enabled.
 */
export async function findIssuedAccessToken(
  db: Db,
  services: Pick<OAuthServices, "authority" | "issuer">,
  { token, now }: { token: string; now: Instant },
): Promise<IssuedAccessToken | undefined> {
  const claims = await verifyOwnJwt(db, services, { token, type: "at+jwt", expiry: "enforced", now });
  if (claims === undefined || claims.aud !== services.issuer) return undefined;
  const { grant_id: id, client_id: clientId, scope, sub } = claims;
  if (typeof id !== "string" || typeof scope !== "string") return undefined;
  const grant = await findGrant(db, services.authority, { id, now });
  const isItsOwn = grant !== undefined && grant.client_id === clientId && grant.account_id === sub;
  return isItsOwn ? { claims, grant } : undefined;
}

/** Does not check the proof of a bound token or its scheme: the caller does. */
export async function findAccessToken(
  db: Db,
  services: Pick<OAuthServices, "authority" | "issuer">,
  value: { token: string; now: Instant },
): Promise<LiveAccessToken | undefined> {
  const issued = await findIssuedAccessToken(db, services, value);
  if (issued === undefined) return undefined;
  const { claims, grant } = issued;
  const live = await findParties(db, services.authority, grant);
  if (live === undefined) return undefined;
  const { scope, iat, exp, jti } = claims;
  const times = { issuedAt: iat!, expiresAt: exp! };
  const detail = detailOf(claims, grant);
  return { ...live, scope: String(scope), ...times, tokenId: String(jti), jkt: jktOf(claims), detail };
}
