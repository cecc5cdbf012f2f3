import { PROBLEMS } from "../../lib/error.ts";
import type { ProblemCode, ProtocolError } from "../../lib/error.ts";
import { OAuthError } from "../../oauth/error.ts";
import type { OAuthErrorCode } from "../../oauth/error.ts";

/** What RFC 6749 calls our problems that are none of its own; `invalid_request` where this is silent. */
const OAUTH_NAMES: Partial<Readonly<Record<ProblemCode, string>>> = {
  rate_limited: "temporarily_unavailable",
  unavailable: "temporarily_unavailable",
  internal_error: "server_error",
};

/** With which scheme to come back (RFC 6749 section 5.2, RFC 6750 section 3). */
const CHALLENGES: Partial<Readonly<Record<OAuthErrorCode, (description: string) => string>>> = {
  invalid_client: () => 'Basic realm="oauth"',
  invalid_token: (description) => bearerChallenge("invalid_token", description),
  insufficient_scope: (description) => bearerChallenge("insufficient_scope", description),
};

function bearerChallenge(error: string, description: string): string {
  return `Bearer realm="oauth", error="${error}", error_description="${description}"`;
}

/**
 * The error as RFC 6749 section 5.2 has it. An OAuthError is the cause of the problem that the boundary made of it; what
 * else can go wrong with a request keeps its status and headers.
 */
export function oauthProblem(problem: ProtocolError): Response {
  const { cause, code, message } = problem;
  const isOAuth = cause instanceof OAuthError;
  const error = isOAuth ? cause.code : OAUTH_NAMES[code] ?? "invalid_request";
  const status = isOAuth ? cause.status : PROBLEMS[code].status;
  const response = new Response(JSON.stringify({ error, error_description: message }), {
    status,
    headers: { ...problem.headers, "content-type": "application/json" },
  });
  const challenge = isOAuth ? CHALLENGES[cause.code]?.(message) : undefined;
  if (challenge !== undefined) response.headers.set("www-authenticate", challenge);
  return response;
}
