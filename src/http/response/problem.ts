import { type ProblemCode, PROBLEMS, type RefusalError } from "../../lib/error.ts";
import { isOAuthErrorCode } from "../../oauth/error.ts";
import { errorPage, type ErrorPageData } from "../../ui/error-page.ts";
import { htmlPage } from "./respond.ts";

/** Formats an error as a problem document (RFC 9457 section 3), without its cause. */
export function problem(error: RefusalError, requestId: string): Response {
  const { status, title } = PROBLEMS[error.problem];
  const members = {
    type: "about:blank",
    title,
    status,
    detail: error.message,
    code: error.problem,
    requestId,
    ...error.members,
    ...(error.errors ? { errors: error.errors } : {}),
  };
  return new Response(JSON.stringify(members), {
    status,
    headers: { ...error.headers, "content-type": "application/problem+json" },
  });
}

export function problemPage(
  error: RefusalError,
  frame: Pick<ErrorPageData, "requestId" | "tee" | "brand" | "language" | "account">,
): Response {
  const { status, title } = PROBLEMS[error.problem];
  const { message: detail, returnLink } = error;
  const page = errorPage({
    code: error.problem,
    status,
    title,
    detail,
    ...frame,
    ...(returnLink !== undefined && { returnLink }),
  });
  return htmlPage(status, page, Object.entries(error.headers));
}

/** The OAuth codes of problems that are not OAuth errors. All others become `invalid_request`. */
const OAUTH_NAMES: Partial<Readonly<Record<ProblemCode, string>>> = {
  rate_limited: "temporarily_unavailable",
  unavailable: "temporarily_unavailable",
  log_cut: "temporarily_unavailable",
  inconsistent_store: "temporarily_unavailable",
  internal_error: "server_error",
};

/** Returns the OAuth code of a problem that is no OAuth error. */
export function oauthCodeOf(problem: ProblemCode): string {
  return OAUTH_NAMES[problem] ?? "invalid_request";
}

/** Formats an error as in RFC 6749 section 5.2. Keeps the status and headers of a problem that is no OAuth error. */
export function oauthProblem(refusal: RefusalError): Response {
  const error = isOAuthErrorCode(refusal.code) ? refusal.code : oauthCodeOf(refusal.problem);
  return new Response(JSON.stringify({ error, error_description: refusal.message }), {
    status: refusal.status,
    headers: { ...refusal.headers, "content-type": "application/json" },
  });
}
