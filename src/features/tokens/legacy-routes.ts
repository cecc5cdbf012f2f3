import type { Route } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { createDeveloperPageEndpoint, createTokenEndpoints } from "./tokens.ts";
import { legacyPageRoute, legacyRoute } from "../../http/route.ts";
import { pageSession, session } from "../../http/guard/account-guards.ts";

export function createTokensRoutes(services: Services): readonly Route[] {
  const tokens = createTokenEndpoints(services);
  return [
    legacyRoute("POST", "/api/auth/tokens", session, tokens.create),
    legacyRoute("GET", "/api/auth/tokens", session, tokens.list),
    legacyRoute("PATCH", "/api/auth/tokens/:tokenId", session, tokens.change),
    legacyRoute("DELETE", "/api/auth/tokens/:tokenId", session, tokens.revoke),
    legacyPageRoute("GET", "/developer", pageSession, createDeveloperPageEndpoint(services)),
  ];
}
