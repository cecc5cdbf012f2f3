/** Scopes for keys of the person who lets an application in; only clients that are registered for them may ask. */
export const KEY_SCOPES = ["keys:read", "keys:sign"] as const;

export type KeyScope = (typeof KEY_SCOPES)[number];

/** Every scope there is. Others are ignored when asked for (OpenID Connect Core section 3.1.2.1). */
export const SCOPES = ["openid", ...KEY_SCOPES] as const;

/** The values of a `scope` parameter (RFC 6749 section 3.3); undefined when it has characters that no scope has. */
export function readScope(text: string): readonly string[] | undefined {
  if (!/^[\x20-\x21\x23-\x5B\x5D-\x7E]*$/.test(text)) return undefined;
  return [...new Set(text.split(" ").filter((value) => value !== ""))];
}

/** Whether one list of scopes has all of another. */
export function includesScope(scope: string, wanted: string): boolean {
  const granted = new Set(scope.split(" "));
  return wanted.split(" ").every((value) => granted.has(value));
}

/** Those of a list of scopes that are for keys. */
export function keyScopesOf(scope: string): readonly KeyScope[] {
  const scopes = scope.split(" ");
  return KEY_SCOPES.filter((one) => scopes.includes(one));
}
