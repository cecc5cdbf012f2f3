import type { Guard, UnsafeRule } from "./guard/guard.ts";
import { API, ORDINARY_PAGE, type PagePolicy, type Surface } from "./response/security-headers.ts";
import { judgeWhole } from "./request/recheck-after-slow-body.ts";
import type { RequestContext } from "./request-context.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";

/** Reads the request, calls a domain function, shapes the answer. The principal is what its route's guard gave. */
export type Endpoint<P> = (context: RequestContext, principal: P) => Promise<Response>;

/** One row of the route table, as `route` and `pageRoute` make it. */
export interface Route {
  readonly method: Method;
  /** `/api/keys/:keyId`: a `:name` stands for one whole segment. */
  readonly path: string;
  /** The guard's name. */
  readonly guard: string;
  readonly unsafe: UnsafeRule;
  /** How its errors are shown and which security headers its answers carry. */
  readonly surface: Surface;
  /** The guard, then the endpoint; both again where the request's body came late. */
  readonly run: (context: RequestContext) => Promise<Response>;
}

function createRow<P>(
  method: Method,
  path: string,
  guard: Guard<P>,
  endpoint: Endpoint<P>,
  surface: Surface,
): Route {
  const answer = (context: RequestContext): Promise<Response> =>
    guard.check(context).then((outcome) =>
      outcome instanceof Response ? outcome : endpoint(context, outcome)
    );
  const hasBody = method !== "GET" && method !== "OPTIONS";
  const run = hasBody ? (context: RequestContext) => judgeWhole(context, answer) : answer;
  return { method, path, guard: guard.name, unsafe: guard.unsafe, surface, run };
}

/**
 * A row of the API: errors are problem documents, unless the surface says otherwise. The endpoint type-checks only where
 * it takes what the guard gives, so one that needs a session cannot stand behind a guard that gives none. GET answers
 * HEAD too.
 */
export function route<P>(
  method: Method,
  path: string,
  guard: Guard<P>,
  endpoint: Endpoint<NoInfer<P>>,
  surface: Surface = API,
): Route {
  return createRow(method, path, guard, endpoint, surface);
}

/** A row that answers a browser's navigation: errors are pages, and the security headers are those of a document. */
export function pageRoute<P>(
  method: Method,
  path: string,
  guard: Guard<P>,
  endpoint: Endpoint<NoInfer<P>>,
  policy: PagePolicy = ORDINARY_PAGE,
): Route {
  return createRow(method, path, guard, endpoint, { kind: "page", ...policy });
}
