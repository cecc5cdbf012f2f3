import type { OAuthError, ResponseTarget } from "../error.ts";

/**
 * Returns the redirect URI with the response in its query (RFC 6749 section 4.1.2). Adds `state` unchanged, and `iss`
 * to every response (RFC 9207). Keeps the existing query.
 */
export function authorizationResponseUri(
  issuer: string,
  { redirectUri, state }: ResponseTarget,
  parameters: Readonly<Record<string, string>>,
): string {
  const added = { ...parameters, ...(state === undefined ? {} : { state }), iss: issuer };
  return appendQuery(redirectUri, added);
}

/** Returns undefined for an error that must be shown as a page. */
export function authorizationErrorUri(issuer: string, error: OAuthError): string | undefined {
  if (error.redirectTo === undefined) return undefined;
  const parameters = { error: error.code, error_description: error.message };
  return authorizationResponseUri(issuer, error.redirectTo, parameters);
}

/** Adds form-url-encoded parameters to the query of a URI without a fragment (RFC 6749 appendix B). */
export function appendQuery(uri: string, parameters: Readonly<Record<string, string>>): string {
  const separator = !uri.includes("?") ? "?" : /[?&]$/.test(uri) ? "" : "&";
  return uri + separator + new URLSearchParams(parameters).toString();
}
