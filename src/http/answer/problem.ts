import { PROBLEMS, type RefusalError, type WayBack } from "../../lib/error.ts";
import type { Html } from "../../lib/html.ts";
import { htmlPage } from "./respond.ts";

/** Shows an error to a person. */
export type ErrorPage = (
  status: number,
  title: string,
  detail: string,
  requestId: string,
  wayBack?: WayBack,
) => Html;

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
  };
  return new Response(JSON.stringify(error.errors ? { ...members, errors: error.errors } : members), {
    status,
    headers: { ...error.headers, "content-type": "application/problem+json" },
  });
}

/** The error as a page, with the headers of the error. */
export function problemPage(error: RefusalError, requestId: string, errorPage: ErrorPage): Response {
  const { status, title } = PROBLEMS[error.problem];
  const page = errorPage(status, title, error.message, requestId, error.wayBack);
  return htmlPage(status, page, Object.entries(error.headers));
}
