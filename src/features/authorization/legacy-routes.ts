import type { Route } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import {
  LEADS_TO_APPLICATIONS,
  OAUTH,
  PUBLIC_API,
  PUBLIC_OAUTH,
} from "../../http/response/security-headers.ts";
import { accessToken, authorizationVisitor, clientCredentials } from "../../http/guard/oauth-guards.ts";
import { createAuthorizeEndpoints } from "./authorize.ts";
import { createConsentEndpoints } from "./consent.ts";
import { createEndSessionEndpoints } from "./end-session.ts";
import {
  createIntrospectEndpoint,
  createRevokeEndpoint,
  createTokenEndpoint,
  createUserInfoEndpoint,
} from "./token.ts";
import { createJwksEndpoint, createMetadataEndpoint } from "./metadata.ts";
import { createPreflightEndpoint } from "../../http/preflight.ts";
import { legacyPageRoute, legacyRoute } from "../../http/route.ts";
import { pageVisitor } from "../../http/guard/account-guards.ts";
import { publicAccess } from "../../http/guard/guard.ts";

export function createAuthorizationRoutes(services: Services): readonly Route[] {
  const authorize = createAuthorizeEndpoints(services);
  const consent = createConsentEndpoints(services);
  const token = createTokenEndpoint(services);
  const allowPost = createPreflightEndpoint("POST");
  const revoke = createRevokeEndpoint(services);
  const introspect = createIntrospectEndpoint(services);
  const userinfo = createUserInfoEndpoint(services);
  const allowBoth = createPreflightEndpoint("GET, POST");
  const endSession = createEndSessionEndpoints(services);
  const jwks = createJwksEndpoint(services);
  const allowGet = createPreflightEndpoint("GET");
  const metadata = createMetadataEndpoint(services);
  return [
    legacyPageRoute(
      "GET",
      "/api/auth/oauth2/authorize",
      authorizationVisitor,
      authorize.get,
      LEADS_TO_APPLICATIONS,
    ),
    legacyPageRoute(
      "POST",
      "/api/auth/oauth2/authorize",
      publicAccess,
      authorize.post,
      LEADS_TO_APPLICATIONS,
    ),
    legacyPageRoute("GET", "/consent", authorizationVisitor, consent.page, LEADS_TO_APPLICATIONS),
    legacyPageRoute("POST", "/consent", authorizationVisitor, consent.decide, LEADS_TO_APPLICATIONS),
    legacyRoute("POST", "/api/auth/oauth2/token", clientCredentials, token, PUBLIC_OAUTH),
    legacyRoute("OPTIONS", "/api/auth/oauth2/token", publicAccess, allowPost, PUBLIC_OAUTH),
    legacyRoute("POST", "/api/auth/oauth2/revoke", clientCredentials, revoke, PUBLIC_OAUTH),
    legacyRoute("OPTIONS", "/api/auth/oauth2/revoke", publicAccess, allowPost, PUBLIC_OAUTH),
    legacyRoute("POST", "/api/auth/oauth2/introspect", clientCredentials, introspect, OAUTH),
    legacyRoute("GET", "/api/auth/oauth2/userinfo", accessToken, userinfo, PUBLIC_OAUTH),
    legacyRoute("POST", "/api/auth/oauth2/userinfo", accessToken, userinfo, PUBLIC_OAUTH),
    legacyRoute("OPTIONS", "/api/auth/oauth2/userinfo", publicAccess, allowBoth, PUBLIC_OAUTH),
    legacyPageRoute(
      "GET",
      "/api/auth/oauth2/end-session",
      pageVisitor,
      endSession.get,
      LEADS_TO_APPLICATIONS,
    ),
    legacyPageRoute(
      "POST",
      "/api/auth/oauth2/end-session",
      publicAccess,
      endSession.post,
      LEADS_TO_APPLICATIONS,
    ),
    legacyPageRoute("GET", "/end-session", pageVisitor, endSession.page, LEADS_TO_APPLICATIONS),
    legacyPageRoute("POST", "/end-session", pageVisitor, endSession.decide, LEADS_TO_APPLICATIONS),
    legacyRoute("GET", "/api/auth/jwks", publicAccess, jwks, PUBLIC_API),
    legacyRoute("OPTIONS", "/api/auth/jwks", publicAccess, allowGet, PUBLIC_API),
    legacyRoute("GET", "/.well-known/openid-configuration", publicAccess, metadata, PUBLIC_API),
    legacyRoute("OPTIONS", "/.well-known/openid-configuration", publicAccess, allowGet, PUBLIC_API),
    legacyRoute("GET", "/.well-known/oauth-authorization-server", publicAccess, metadata, PUBLIC_API),
    legacyRoute("OPTIONS", "/.well-known/oauth-authorization-server", publicAccess, allowGet, PUBLIC_API),
  ];
}
