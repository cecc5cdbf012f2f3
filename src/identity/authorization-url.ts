import { sha256 } from "@noble/hashes/sha2.js";
import { toBase64url, utf8 } from "../lib/bytes.ts";
import type { Attempt } from "./provider.ts";

/**
 * Builds an authorization request for a code with PKCE (RFC 6749 section 4.1.1, RFC 7636 section 4.3). Preserves the
 * query of the endpoint.
 */
export function authorizationUrl(
  endpoint: string,
  { redirectUri, state, codeVerifier }: Attempt,
  further: Readonly<Record<string, string>>,
): URL {
  const url = new URL(endpoint);
  const parameters = {
    response_type: "code",
    redirect_uri: redirectUri,
    state,
    code_challenge: toBase64url(sha256(utf8(codeVerifier))),
    code_challenge_method: "S256",
    ...further,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}
