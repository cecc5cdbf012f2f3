import type { OAuthError, ResponseTarget } from "../error.ts";

/**
 * The redirect URI with the response in its query (RFC 6749 section 4.1.2), `state` as it was sent and `iss` in every
 * response (RFC 9207). What the URI already has in its query is kept as it is.
 */
export function authorizationResponseUri(
  issuer: string,
  { redirectUri, state }: ResponseTarget,
  parameters: Readonly<Record<string, string>>,
): string {
  const added = { ...parameters, ...(state === undefined ? {} : { state }), iss: issuer };
  return appendQuery(redirectUri, added);
}

/** Where an error of the authorization endpoint goes; undefined when it must not leave (it becomes a page). */
export function authorizationErrorUri(issuer: string, error: OAuthError): string | undefined {
  if (error.redirectTo === undefined) return undefined;
  const parameters = { error: error.code, error_description: error.message };
  return authorizationResponseUri(issuer, error.redirectTo, parameters);
}

/** A URI without a fragment, with parameters added to its query, form-url-encoded (RFC 6749 appendix B). */
export function appendQuery(uri: string, parameters: Readonly<Record<string, string>>): string {
  const separator = !uri.includes("?") ? "?" : /[?&]$/.test(uri) ? "" : "&";
  return uri + separator + new URLSearchParams(parameters).toString();
}
