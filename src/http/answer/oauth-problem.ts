import type { ProblemCode, RefusalError } from "../../lib/error.ts";
import { isOAuthErrorCode } from "../../oauth/error.ts";

/** What RFC 6749 calls our problems that are none of its own; `invalid_request` where this is silent. */
const OAUTH_NAMES: Partial<Readonly<Record<ProblemCode, string>>> = {
  rate_limited: "temporarily_unavailable",
  unavailable: "temporarily_unavailable",
  log_cut: "temporarily_unavailable",
  internal_error: "server_error",
};

/** The refusal as RFC 6749 section 5.2 has it; what is none of OAuth's keeps its status and headers. */
export function oauthProblem(refusal: RefusalError): Response {
  const error = isOAuthErrorCode(refusal.code)
    ? refusal.code
    : OAUTH_NAMES[refusal.problem] ?? "invalid_request";
  return new Response(JSON.stringify({ error, error_description: refusal.message }), {
    status: refusal.status,
    headers: { ...refusal.headers, "content-type": "application/json" },
  });
}
