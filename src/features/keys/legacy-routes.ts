import type { Route } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { FOR_TOKENS } from "../../http/response/security-headers.ts";
import { createPreflightEndpoint, TOKEN_HEADERS } from "../../http/preflight.ts";
import { createKeyEndpoints } from "./keys.ts";
import { createKeyPages } from "./pages.ts";
import { createKeyPolicyEndpoints } from "./policy.ts";
import { formSession, pageSession, session } from "../../http/guard/account-guards.ts";
import { legacyPageRoute, legacyRoute } from "../../http/route.ts";
import { publicAccess } from "../../http/guard/guard.ts";
import { sessionOrTokenToCreate, sessionOrTokenToRead } from "../../http/guard/key-guards.ts";

export function createKeysRoutes(services: Services): readonly Route[] {
  const keys = createKeyEndpoints(services);
  const keyPolicy = createKeyPolicyEndpoints(services);
  const keyPages = createKeyPages(services);
  return [
    legacyRoute("GET", "/api/keys", sessionOrTokenToRead, keys.list, FOR_TOKENS),
    legacyRoute("POST", "/api/keys/generate", sessionOrTokenToCreate, keys.generate, FOR_TOKENS),
    legacyRoute("GET", "/api/keys/:keyId", sessionOrTokenToRead, keys.get, FOR_TOKENS),
    legacyRoute("PATCH", "/api/keys/:keyId", session, keys.change),
    legacyRoute("POST", "/api/keys/:keyId/archive", session, keys.archive),
    legacyRoute("POST", "/api/keys/:keyId/unarchive", session, keys.unarchive),
    legacyRoute("GET", "/api/keys/:keyId/policy", session, keyPolicy.get),
    legacyRoute("PUT", "/api/keys/:keyId/policy", session, keyPolicy.set),
    legacyRoute("DELETE", "/api/keys/:keyId/policy", session, keyPolicy.remove),
    legacyRoute("DELETE", "/api/keys/:keyId/policy/change", session, keyPolicy.cancelChange),
    legacyPageRoute("GET", "/keys", pageSession, keyPages.keys),
    legacyPageRoute("GET", "/keys/:keyId", pageSession, keyPages.key),
    legacyPageRoute("POST", "/keys/:keyId/policy/cancel", formSession("/keys"), keyPolicy.cancelForm),
    legacyRoute(
      "OPTIONS",
      "/api/keys",
      publicAccess,
      createPreflightEndpoint("GET", TOKEN_HEADERS),
      FOR_TOKENS,
    ),
    legacyRoute(
      "OPTIONS",
      "/api/keys/generate",
      publicAccess,
      createPreflightEndpoint("POST", TOKEN_HEADERS),
      FOR_TOKENS,
    ),
    legacyRoute(
      "OPTIONS",
      "/api/keys/:keyId",
      publicAccess,
      createPreflightEndpoint("GET", TOKEN_HEADERS),
      FOR_TOKENS,
    ),
    legacyRoute(
      "OPTIONS",
      "/api/keys/:keyId/quote",
      publicAccess,
      createPreflightEndpoint("GET", TOKEN_HEADERS),
      FOR_TOKENS,
    ),
  ];
}
