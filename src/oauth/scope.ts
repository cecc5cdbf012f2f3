/** The scopes for a user's keys. Only clients registered for them may request them. */
export const KEY_SCOPES = ["keys:read", "keys:sign"] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];

/** The scopes for claims. A client that is registered for any gets no claim but `sub` without them. */
export const CLAIM_SCOPES = ["email", "profile", "groups", "wallets"] as const;

export type ClaimScope = (typeof CLAIM_SCOPES)[number];

/** Every supported scope. Others are ignored (OpenID Connect Core section 3.1.2.1). */
export const SCOPES = ["openid", ...CLAIM_SCOPES, ...KEY_SCOPES] as const;

/** Parses a `scope` parameter (RFC 6749 section 3.3). Returns undefined for invalid characters. */
export function readScope(text: string): readonly string[] | undefined {
  if (!/^[\x20-\x21\x23-\x5B\x5D-\x7E]*$/.test(text)) return undefined;
  return [...new Set(text.split(" ").filter((value) => value !== ""))];
}

/** Returns true if `scope` includes all of `wanted`. */
export function includesScope(scope: string, wanted: string): boolean {
  const granted = scope.split(" ");
  return wanted.split(" ").every((value) => granted.includes(value));
}

export function keyScopesOf(scope: string): readonly KeyScope[] {
  const scopes = scope.split(" ");
  return KEY_SCOPES.filter((one) => scopes.includes(one));
}

export function claimScopesOf(scope: string): readonly ClaimScope[] {
  const scopes = scope.split(" ");
  return CLAIM_SCOPES.filter((one) => scopes.includes(one));
}
