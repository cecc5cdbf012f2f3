import { PROBLEMS, type RefusalError } from "../../lib/error.ts";
import { errorPage } from "../../ui/page/error-page.ts";
import type { ErrorPageData } from "../../ui/page/error-page.ts";
import { htmlPage } from "./respond.ts";

/** The error as a problem document (RFC 9457 section 3). Its cause stays behind. */
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

/** The error as a page, with the headers of the error, and with the bar of whoever is signed in. */
export function problemPage(
  error: RefusalError,
  frame: Pick<ErrorPageData, "requestId" | "tee" | "language" | "account">,
): Response {
  const { status, title } = PROBLEMS[error.problem];
  const { message: detail, wayBack } = error;
  const page = errorPage({
    code: error.problem,
    status,
    title,
    detail,
    ...frame,
    ...(wayBack !== undefined && { wayBack }),
  });
  return htmlPage(status, page, Object.entries(error.headers));
}
