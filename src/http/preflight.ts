import type { Operation } from "./description.ts";
import { publicAccess } from "./guard/guard.ts";
import { noContent } from "./response/respond.ts";
import { FOR_TOKENS, type Surface } from "./response/security-headers.ts";
import { defineEndpoint, type Route, route } from "./route.ts";

/** Request headers that scripts may send to the OAuth endpoints. */
const CLIENT_HEADERS = "Authorization, DPoP, Content-Type";
/** Request headers that scripts may send with a token. */
const TOKEN_HEADERS = "Authorization, DPoP, Content-Type, Holdfast-Witness, Idempotency-Key, Prefer";

const PREFLIGHT: Operation = {
  id: "preflight",
  tag: "Operations",
  summary: "Tell a browser which requests other origins may send",
  returns: { 204: null },
};

/**
 * Creates the route that answers a CORS preflight request (Fetch section 3.2.2) for the other routes of its path. It
 * shares their surface, which decides the origins that may read the response. Cookies are never allowed.
 */
export function preflightRoute(path: string, methods: string, surface: Surface): Route<unknown> {
  const headers = surface === FOR_TOKENS ? TOKEN_HEADERS : CLIENT_HEADERS;
  const endpoint = defineEndpoint(
    publicAccess,
    {},
    (_context, _principal, _input, _services: unknown) =>
      Promise.resolve(noContent([
        ["access-control-allow-methods", methods],
        ["access-control-allow-headers", headers],
        ["access-control-max-age", "86400"],
      ])),
  );
  return route("OPTIONS", path, endpoint, PREFLIGHT, surface);
}
