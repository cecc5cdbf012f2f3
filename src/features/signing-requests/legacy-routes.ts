import type { Route } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { FOR_TOKENS } from "../../http/response/security-headers.ts";
import { createPreflightEndpoint, TOKEN_HEADERS } from "../../http/preflight.ts";
import { createRequestPages } from "./pages.ts";
import { createSigningRequestEndpoints } from "./signing-requests.ts";
import { legacyPageRoute, legacyRoute } from "../../http/route.ts";
import { pageSession, session } from "../../http/guard/account-guards.ts";
import { publicAccess } from "../../http/guard/guard.ts";
import { sessionOrTokenToAsk } from "../../http/guard/key-guards.ts";

export function createSigningRequestsRoutes(services: Services): readonly Route[] {
  const requests = createSigningRequestEndpoints(services);
  const requestPages = createRequestPages(services);
  return [
    legacyRoute("GET", "/api/signing-requests", sessionOrTokenToAsk, requests.list, FOR_TOKENS),
    legacyRoute("GET", "/api/signing-requests/:requestId", sessionOrTokenToAsk, requests.get, FOR_TOKENS),
    legacyRoute(
      "DELETE",
      "/api/signing-requests/:requestId",
      sessionOrTokenToAsk,
      requests.withdraw,
      FOR_TOKENS,
    ),
    legacyRoute(
      "POST",
      "/api/signing-requests/:requestId/approval/options",
      session,
      requests.approvalOptions,
    ),
    legacyRoute("POST", "/api/signing-requests/:requestId/approval", session, requests.approve),
    legacyRoute("POST", "/api/signing-requests/:requestId/decline", session, requests.decline),
    legacyPageRoute("GET", "/requests", pageSession, requestPages.list),
    legacyPageRoute("GET", "/requests/:requestId", pageSession, requestPages.one),
    legacyRoute(
      "OPTIONS",
      "/api/signing-requests",
      publicAccess,
      createPreflightEndpoint("GET", TOKEN_HEADERS),
      FOR_TOKENS,
    ),
    legacyRoute(
      "OPTIONS",
      "/api/signing-requests/:requestId",
      publicAccess,
      createPreflightEndpoint("GET, DELETE", TOKEN_HEADERS),
      FOR_TOKENS,
    ),
  ];
}
