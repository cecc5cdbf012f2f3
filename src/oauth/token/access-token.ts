import { decodeJwt, type JWTPayload } from "jose";
import type { Db } from "../../db/schema/schema.ts";
import { newId, type RandomBytes } from "../../lib/id.ts";
import { type Instant, MINUTE, SECOND } from "../../lib/time.ts";
import { grantedDetail, type SigningDetail } from "../authorization-details.ts";
import { type ExpectedRows, expectRows } from "../../store/read.ts";
import { endOfGrant, findGrant, findParties, type Grant, type LiveGrant } from "../grant.ts";
import { LONGEST_JWT, verifyOwnJwt } from "./jwt.ts";
import type { OAuthServices } from "../services.ts";
import { audienceOf, isAudienceOf, MCP_PATH, type ResourcePath } from "../resource.ts";
import { includesScope } from "../scope.ts";
import { type SigningKey, TOKEN_LIFETIME } from "./signing-key.ts";
import type { TokenRights } from "./token-rights.ts";

/** Returns whole seconds since 1970 (RFC 7519 section 2, NumericDate). */
export function numericDate(instant: Instant): number {
  return Math.floor(instant / SECOND);
}

/** The lifetime of access tokens for `/mcp`, which may be bearer tokens that sign. */
const MCP_TOKEN_LIFETIME = 10 * MINUTE;

/** Returns the expiry of a new access token: its lifetime from now, or the end of its grant if earlier. */
export function accessTokenEnd(grant: Grant, now: Instant): Instant {
  const lifetime = grant.resource === MCP_PATH ? MCP_TOKEN_LIFETIME : TOKEN_LIFETIME;
  return Math.min(now + lifetime, endOfGrant(grant));
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
    aud: audienceOf(services.issuer, grant.resource),
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

/** A presented access token. `resource` is where it was presented; undefined accepts it for every resource. */
export interface PresentedAccessToken {
  readonly token: string;
  readonly resource?: ResourcePath;
  readonly now: Instant;
}

/** Returns what the use of an access token reads: the signing keys, and the account and client of unverified claims. */
function expectedOf(token: string): readonly ExpectedRows[] {
  if (token.length > LONGEST_JWT) return [];
  try {
    const { sub, client_id: clientId } = decodeJwt(token);
    if (typeof sub !== "string" || typeof clientId !== "string") return [];
    return [["token_key", {}], ["account", { id: sub }], ["client", { id: clientId }]];
  } catch {
    return [];
  }
}

/**
 * Verifies an access token as a resource server does (RFC 9068 section 4) and returns it with its grant. Returns
 * undefined if the grant has ended, or if the token is for another resource (RFC 8707 section 2). Does not check that
 * client and account are enabled.
 */
export async function findIssuedAccessToken(
  db: Db,
  services: Pick<OAuthServices, "authority" | "issuer">,
  { token, resource, now }: PresentedAccessToken,
): Promise<IssuedAccessToken | undefined> {
  await expectRows(db, services.authority, () => expectedOf(token));
  const claims = await verifyOwnJwt(db, services, { token, type: "at+jwt", expiry: "enforced", now });
  if (claims === undefined) return undefined;
  if (resource !== undefined && !isAudienceOf(services.issuer, resource, claims.aud)) return undefined;
  const { grant_id: id, client_id: clientId, scope, sub } = claims;
  if (typeof id !== "string" || typeof scope !== "string" || typeof sub !== "string") return undefined;
  const grant = await findGrant(db, services.authority, { id, accountId: sub, now });
  const isItsOwn = grant !== undefined && grant.client_id === clientId &&
    claims.aud === audienceOf(services.issuer, grant.resource);
  return isItsOwn ? { claims, grant } : undefined;
}

/** Does not check the proof of a bound token or its scheme: the caller does. */
export async function findAccessToken(
  db: Db,
  services: Pick<OAuthServices, "authority" | "issuer">,
  value: PresentedAccessToken,
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
