import * as v from "valibot";
import { isLocalPath } from "../response/respond.ts";

/** Longest path to go on to: what is longer no page of ours links to. */
const LONGEST_PATH = 2000;

const RequestId = v.pipe(
  v.string(),
  v.regex(/^request_[0-9a-v]{26}$/, "Expected an authorization request's id"),
);

const Next = v.pipe(
  v.string(),
  v.check((text) => isLocalPath(text) && text.length <= LONGEST_PATH, "Expected a path of this origin"),
);

/** What waits for somebody who signs in: an application's authorization request, or else a page of ours. */
export const WaitingQuery = v.strictObject({ request: v.optional(RequestId), next: v.optional(Next) });

/** The same, read. */
export interface Waiting {
  readonly request?: string | undefined;
  readonly next?: string | undefined;
}

/** The query that takes it along; empty where nothing waits. */
export function onwardQuery({ request, next }: Waiting): string {
  if (request !== undefined) return new URLSearchParams({ request }).toString();
  return next === undefined ? "" : new URLSearchParams({ next }).toString();
}

/** Where the browser goes on with a pending request. */
export function pendingPath(page: "/sign-in" | "/consent", requestId: string): string {
  return `${page}?request=${encodeURIComponent(requestId)}`;
}
