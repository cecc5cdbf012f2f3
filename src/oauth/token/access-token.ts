import type { JWTPayload } from "jose";
import type { Db } from "../../db/schema/schema.ts";
import { newId } from "../../lib/id.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { SECOND } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import { grantedDetail } from "../authorization-details.ts";
import type { SigningDetail } from "../authorization-details.ts";
import { endOfGrant, findGrant, findParties } from "../grant.ts";
import type { Grant, LiveGrant } from "../grant.ts";
import { verifyOwnJwt } from "./jwt.ts";
import type { OAuthServices } from "../services.ts";
import { includesScope } from "../scope.ts";
import { TOKEN_LIFETIME } from "./signing-key.ts";
import type { SigningKey } from "./signing-key.ts";
import type { TokenRights } from "./token-rights.ts";

/** Whole seconds since 1970, as JWTs count (RFC 7519 section 2, NumericDate). */
export function numericDate(instant: Instant): number {
  return Math.floor(instant / SECOND);
}

/** When an access token that is issued now ends: with its grant, if that ends within the hour. */
export function accessTokenEnd(grant: Grant, now: Instant): Instant {
  return Math.min(now + TOKEN_LIFETIME, endOfGrant(grant));
}

/**
 * A JWT access token (RFC 9068 section 2) for our own endpoints, for an hour. `grant_id` is ours: it lets the token stop
 * when its grant ends.
 */
export async function issueAccessToken(
  services: Pick<OAuthServices, "vault" | "issuer">,
  { grant, rights, key, jkt, now, random }: {
    grant: Grant;
    rights: TokenRights;
    key: SigningKey;
    /** The thumbprint of the key that it is bound to (RFC 9449 section 6.1); undefined for a bearer token. */
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
    // What was granted stands in the grant's row, which is looked at each time (RFC 9396 section 9.1).
    ...(rights.isNarrowed ? { authorization_details: [rights.detail] } : {}),
  });
}

/** The thumbprint in `cnf` (RFC 9449 section 6.1), which only we can have put there. */
function jktOf({ cnf }: Readonly<JWTPayload>): string | undefined {
  return (cnf as { readonly jkt: string } | undefined)?.jkt;
}

/** An access token that is worth something now. */
export interface LiveAccessToken extends LiveGrant {
  readonly scope: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly tokenId: string;
  /** The thumbprint of the key that it is bound to; undefined for a bearer token. */
  readonly jkt: string | undefined;
  /** What may be signed with it; undefined for nothing. */
  readonly detail: SigningDetail | undefined;
}

/** What may be signed with a token: what it says, which only we can have written, or what was granted. */
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
 * An access token of ours, checked as a resource server does (RFC 9068 section 4), with its grant; undefined once that
 * ended. Of a disabled account it is worth nothing now, and something again once that is enabled.
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

/**
 * What an access token of ours stands for; undefined for one that is worth nothing now. Whoever serves it sees to it that
 * a bound one comes with a proof, and with the scheme of its kind.
 */
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
