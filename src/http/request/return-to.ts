import * as v from "valibot";
import { isLocalPath } from "../response/respond.ts";

/** Maximum path length. No page links to a longer one. */
const LONGEST_PATH = 2000;

const RequestId = v.pipe(
  v.string(),
  v.regex(/^request_[0-9a-v]{26}$/, "Expected an authorization request's id"),
);

const Next = v.pipe(
  v.string(),
  v.check((text) => isLocalPath(text) && text.length <= LONGEST_PATH, "Expected a path of this origin"),
);

/** The return target after a sign-in: an application's authorization request, or a page of the service. */
export const ReturnToQuery = v.strictObject({ request: v.optional(RequestId), next: v.optional(Next) });

export interface ReturnTo {
  readonly request?: string | undefined;
  readonly next?: string | undefined;
}

/** Formats the query for a link; empty if there is nothing to return to. */
export function formatReturnTo({ request, next }: ReturnTo): string {
  if (request !== undefined) return new URLSearchParams({ request }).toString();
  return next === undefined ? "" : new URLSearchParams({ next }).toString();
}

export function pendingPath(page: "/sign-in" | "/consent", requestId: string): string {
  return `${page}?request=${encodeURIComponent(requestId)}`;
}
