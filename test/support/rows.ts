import type { Guard } from "../../src/http/guard/guard.ts";
import { defineEndpoint, type Method, pageRoute, type Route, route } from "../../src/http/route.ts";
import type { RequestContext } from "../../src/http/request-context.ts";
import type { PagePolicy, Surface } from "../../src/http/response/security-headers.ts";

export type Handler<P> = (context: RequestContext, principal: P) => Promise<Response>;

const DESCRIPTION = { id: "test", tag: "Operations", summary: "A row of a test", returns: {} } as const;

/** Creates an API route with a function that reads its request itself. */
export function apiRow<P>(
  method: Method,
  path: string,
  guard: Guard<P, unknown>,
  handle: Handler<NoInfer<P>>,
  surface?: Surface,
): Route<unknown> {
  const endpoint = defineEndpoint(
    guard,
    {},
    (context, principal, _input, _services: unknown) => handle(context, principal),
  );
  return route(method, path, endpoint, DESCRIPTION, surface);
}

/** Creates a page route with a function that reads its request itself. */
export function pageRow<P>(
  method: Method,
  path: string,
  guard: Guard<P, unknown>,
  handle: Handler<NoInfer<P>>,
  policy?: PagePolicy,
): Route<unknown> {
  const endpoint = defineEndpoint(
    guard,
    {},
    (context, principal, _input, _services: unknown) => handle(context, principal),
  );
  return pageRoute(method, path, endpoint, DESCRIPTION, policy);
}
