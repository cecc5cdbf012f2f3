import type { Client } from "./client/client.ts";
import { type ClaimScope, claimScopesOf, includesScope } from "./scope.ts";

/** The claims of each scope (OpenID Connect Core section 5.4). `groups` and `wallets` are of this service. */
const SCOPE_CLAIMS = {
  email: ["email", "email_verified"],
  profile: ["name", "preferred_username", "locale", "updated_at"],
  groups: ["groups"],
  wallets: ["wallets"],
} as const satisfies Record<ClaimScope, readonly string[]>;

/** A claim about the user beside `sub`. */
export type Claim = (typeof SCOPE_CLAIMS)[ClaimScope][number];

export const CLAIMS: readonly Claim[] = Object.values(SCOPE_CLAIMS).flat();

/** The claims of a client that is registered for no scope of claims, with `openid` alone. */
const USUAL: readonly Claim[] = ["email", "email_verified", "name"];

/** The claims that are requested by name, for each place (OpenID Connect Core section 5.5). */
export interface ClaimsRequest {
  readonly userinfo: readonly Claim[];
  readonly id_token: readonly Claim[];
}

/** Returns the claims that the client may get, whatever it requests. */
export function registeredClaims({ claimScopes }: Pick<Client, "claimScopes">): readonly Claim[] {
  return claimScopes.length === 0 ? USUAL : claimScopes.flatMap((scope) => SCOPE_CLAIMS[scope]);
}

function claimsOfScope(scope: string): readonly Claim[] {
  return claimScopesOf(scope).flatMap((one) => SCOPE_CLAIMS[one]);
}

/** Parses a stored `ClaimsRequest`. Null stands for the usual claims, in both places. */
function parseClaims(claims: string | null): ClaimsRequest {
  return claims === null ? { userinfo: USUAL, id_token: USUAL } : JSON.parse(claims) as ClaimsRequest;
}

/** A scope and the claims requested by name, as a request and a grant store them. */
export interface RequestedClaims {
  readonly scope: string;
  readonly claims: string | null;
}

/** Returns the claims for one place, in the order of `CLAIMS`. None without `openid`. */
export function claimsAt({ scope, claims }: RequestedClaims, place: keyof ClaimsRequest): readonly Claim[] {
  if (!includesScope(scope, "openid")) return [];
  const wanted = new Set([...claimsOfScope(scope), ...parseClaims(claims)[place]]);
  return CLAIMS.filter((claim) => wanted.has(claim));
}

/** Returns the claims of both places together, which the user consents to. */
export function requestedClaims(requested: RequestedClaims): readonly Claim[] {
  const wanted = new Set([...claimsAt(requested, "userinfo"), ...claimsAt(requested, "id_token")]);
  return CLAIMS.filter((claim) => wanted.has(claim));
}

/** Returns the value of a consent's column `claims`: null for the usual ones. */
export function consentedNames(claims: string | null): string | null {
  if (claims === null) return null;
  const { userinfo, id_token } = parseClaims(claims);
  return CLAIMS.filter((claim) => userinfo.includes(claim) || id_token.includes(claim)).join(" ");
}

/** Returns the claims of a stored consent. */
export function consentedClaims(
  { scope, claims }: { readonly scope: string; readonly claims: string | null },
): readonly Claim[] {
  const names = claims === null ? USUAL : claims.split(" ");
  const all = new Set<string>([...claimsOfScope(scope), ...names]);
  return CLAIMS.filter((claim) => all.has(claim));
}
