/**
 * Parameters of a query or form, decoded, each at most once: whoever reads the message refuses repeated ones, or at the
 * authorization endpoint names them.
 */
export type OAuthParameters = ReadonlyMap<string, string>;

/**
 * A parameter's value; undefined also when it is empty: "sent without a value MUST be treated as if omitted" (RFC 6749
 * section 3.1).
 */
export function findParameter(parameters: OAuthParameters, name: string): string | undefined {
  const value = parameters.get(name);
  return value === "" ? undefined : value;
}
