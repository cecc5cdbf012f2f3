/** Decoded parameters. Repeated ones are refused before, or reported by the authorization endpoint. */
export type OAuthParameters = ReadonlyMap<string, string>;

/** Returns undefined also for an empty value, which must be treated as omitted (RFC 6749 section 3.1). */
export function findParameter(parameters: OAuthParameters, name: string): string | undefined {
  const value = parameters.get(name);
  return value === "" ? undefined : value;
}

/** Returns a parameter's name as an error description may say it. */
export function printableName(name: string): string {
  return /^[a-z_]{1,40}$/.test(name) ? name : "each parameter";
}
