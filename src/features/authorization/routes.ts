import type { Operation } from "../../http/description.ts";
import { preflightRoute } from "../../http/preflight.ts";
import {
  LEADS_TO_APPLICATIONS,
  OAUTH,
  PUBLIC_API,
  PUBLIC_OAUTH,
} from "../../http/response/security-headers.ts";
import { pageRoute, type Route, route } from "../../http/route.ts";
import { RESOURCE_PATHS, resourceMetadataPath, type ResourcePath } from "../../oauth/resource.ts";
import { authorizeByForm, authorizeByQuery } from "./authorize.ts";
import { decideConsent, showConsent } from "./consent.ts";
import { decideEndSession, endSessionByForm, endSessionByQuery, showEndSession } from "./end-session.ts";
import { getKeySet, getMetadata, getResourceMetadata } from "./metadata.ts";
import {
  AccessTokenForm,
  AuthorizationParameters,
  AuthorizationQuery,
  DeviceAuthorization,
  DeviceAuthorizationParameters,
  EndSessionParameters,
  Introspection,
  KeySet,
  PresentedToken,
  ProtectedResource,
  ProviderMetadata,
  PushedRequest,
  TokenParameters,
  TokenResponse,
  UserInfo,
} from "./schema.ts";
import {
  authorizeDevice,
  getUserInfo,
  introspectOAuthToken,
  issueTokens,
  pushRequest,
  revokeOAuthToken,
} from "./token.ts";
import { DEVICE_ROUTES } from "./device-routes.ts";

const tag = "OAuth";

const TO_AUTHORIZE = {
  tag,
  limits: ["authorization_request", "authorization_request_site", "authorization_code", "client_metadata"],
} as const satisfies Partial<Operation>;

const TO_END_SESSION = {
  tag,
  returns: { 303: null },
  limits: ["authorization_request", "authorization_request_site"],
} as const satisfies Partial<Operation>;

const CLIENT_LIMITS = ["client_authentication", "client_metadata"] as const;

const FOR_CLIENTS = {
  tag,
  bodyIs: "form",
  limits: CLIENT_LIMITS,
  errors: { 401: ["invalid_client"] },
} as const satisfies Partial<Operation>;

const USERINFO = {
  tag,
  description: "A request without a token is refused with 401 without content (RFC 6750 section 3.1).",
  returns: { 200: UserInfo },
  errors: {
    401: ["invalid_token", "invalid_dpop_proof", "use_dpop_nonce"],
    403: ["insufficient_scope"],
  },
} as const satisfies Partial<Operation>;

const METADATA = { tag, returns: { 200: ProviderMetadata } } as const satisfies Partial<Operation>;

const AUTHORIZE_ROUTES: readonly Route[] = [
  pageRoute("GET", "/api/auth/oauth2/authorize", authorizeByQuery, {
    ...TO_AUTHORIZE,
    id: "authorize",
    summary: "Start an authorization request (OpenID Connect Core section 3.1.2.1)",
    query: AuthorizationQuery,
  }, LEADS_TO_APPLICATIONS),
  pageRoute("POST", "/api/auth/oauth2/authorize", authorizeByForm, {
    ...TO_AUTHORIZE,
    id: "authorizeByForm",
    summary: "Start an authorization request from a form",
    body: AuthorizationQuery,
    bodyIs: "form",
  }, LEADS_TO_APPLICATIONS),
  pageRoute("GET", "/consent", showConsent, {
    id: "consentPage",
    summary: "The consent page of an application",
    description: "Only a link back to the application, with an error, if you are in none of its groups.",
  }, LEADS_TO_APPLICATIONS),
  pageRoute("POST", "/consent", decideConsent, {
    id: "consentForm",
    summary: "Submit the decision of the consent page",
    description: "A ticked box is a member `key:<id>` or `rule:<name>` with the value `on`.",
    codes: ["recently_recovered"],
  }, LEADS_TO_APPLICATIONS),
];

const TOKEN_ROUTES: readonly Route[] = [
  route("POST", "/api/auth/oauth2/par", pushRequest, {
    ...FOR_CLIENTS,
    id: "pushAuthorizationRequest",
    summary: "Push an authorization request (RFC 9126)",
    body: AuthorizationParameters,
    returns: { 201: PushedRequest },
    limits: [...CLIENT_LIMITS, "authorization_request", "authorization_request_site"],
    errors: {
      400: [
        "unsupported_response_type",
        "invalid_scope",
        "invalid_authorization_details",
        "request_not_supported",
        "registration_not_supported",
        "invalid_dpop_proof",
        "use_dpop_nonce",
      ],
      ...FOR_CLIENTS.errors,
    },
  }, PUBLIC_OAUTH),
  preflightRoute("/api/auth/oauth2/par", "POST", PUBLIC_OAUTH),
  route("POST", "/api/auth/oauth2/device_authorization", authorizeDevice, {
    ...FOR_CLIENTS,
    id: "authorizeDevice",
    summary: "Get a code for a device without a browser (RFC 8628)",
    body: DeviceAuthorizationParameters,
    returns: { 200: DeviceAuthorization },
    limits: [...CLIENT_LIMITS, "authorization_request", "authorization_request_site"],
    errors: {
      400: [
        "unauthorized_client",
        "invalid_scope",
        "invalid_authorization_details",
        "invalid_target",
        "access_denied",
        "invalid_dpop_proof",
        "use_dpop_nonce",
      ],
      ...FOR_CLIENTS.errors,
    },
  }, PUBLIC_OAUTH),
  preflightRoute("/api/auth/oauth2/device_authorization", "POST", PUBLIC_OAUTH),
  route("POST", "/api/auth/oauth2/token", issueTokens, {
    ...FOR_CLIENTS,
    id: "exchangeToken",
    summary: "Exchange a code, a device code or a refresh token (RFC 6749 section 3.2)",
    body: TokenParameters,
    returns: { 200: TokenResponse },
    limits: [...CLIENT_LIMITS, "token_request"],
    errors: {
      400: [
        "invalid_grant",
        "invalid_scope",
        "unsupported_grant_type",
        "unauthorized_client",
        "authorization_pending",
        "slow_down",
        "access_denied",
        "expired_token",
        "invalid_authorization_details",
        "invalid_target",
        "invalid_dpop_proof",
        "use_dpop_nonce",
      ],
      ...FOR_CLIENTS.errors,
    },
  }, PUBLIC_OAUTH),
  preflightRoute("/api/auth/oauth2/token", "POST", PUBLIC_OAUTH),
  route("POST", "/api/auth/oauth2/revoke", revokeOAuthToken, {
    ...FOR_CLIENTS,
    id: "revokeOAuthToken",
    summary: "Revoke a token (RFC 7009)",
    body: PresentedToken,
    returns: { 200: null },
  }, PUBLIC_OAUTH),
  preflightRoute("/api/auth/oauth2/revoke", "POST", PUBLIC_OAUTH),
  route("POST", "/api/auth/oauth2/introspect", introspectOAuthToken, {
    ...FOR_CLIENTS,
    id: "introspect",
    summary: "Introspect a token (RFC 7662)",
    body: PresentedToken,
    returns: { 200: Introspection },
  }, OAUTH),
  route("GET", "/api/auth/oauth2/userinfo", getUserInfo, {
    ...USERINFO,
    id: "getUserInfo",
    summary: "Get the claims of the user (OpenID Connect Core section 5.3)",
  }, PUBLIC_OAUTH),
  route("POST", "/api/auth/oauth2/userinfo", getUserInfo, {
    ...USERINFO,
    id: "postUserInfo",
    summary: "Get the claims of the user, with the token in the header or in a form",
    body: AccessTokenForm,
    bodyIs: "form",
  }, PUBLIC_OAUTH),
  preflightRoute("/api/auth/oauth2/userinfo", "GET, POST", PUBLIC_OAUTH),
];

const LOGOUT_ROUTES: readonly Route[] = [
  pageRoute("GET", "/api/auth/oauth2/end-session", endSessionByQuery, {
    ...TO_END_SESSION,
    id: "endSessionAtProvider",
    summary: "Sign out at an application's request (OpenID Connect RP-Initiated Logout)",
    query: EndSessionParameters,
  }, LEADS_TO_APPLICATIONS),
  pageRoute("POST", "/api/auth/oauth2/end-session", endSessionByForm, {
    ...TO_END_SESSION,
    id: "endSessionAtProviderByForm",
    summary: "Sign out at an application's request, from a form",
    body: EndSessionParameters,
    bodyIs: "form",
  }, LEADS_TO_APPLICATIONS),
  pageRoute("GET", "/end-session", showEndSession, {
    id: "endSessionPage",
    summary: "The page that asks for confirmation of a sign-out",
  }, LEADS_TO_APPLICATIONS),
  pageRoute("POST", "/end-session", decideEndSession, {
    id: "endSessionForm",
    summary: "Submit the decision about a sign-out",
  }, LEADS_TO_APPLICATIONS),
];

const METADATA_ROUTES: readonly Route[] = [
  route("GET", "/api/auth/jwks", getKeySet, {
    id: "getKeySet",
    tag,
    summary: "Get the public keys that verify its tokens (RFC 7517)",
    returns: { 200: KeySet },
  }, PUBLIC_API),
  preflightRoute("/api/auth/jwks", "GET", PUBLIC_API),
  route("GET", "/.well-known/openid-configuration", getMetadata, {
    ...METADATA,
    id: "getOpenIdConfiguration",
    summary: "Get the provider's metadata (OpenID Connect Discovery)",
  }, PUBLIC_API),
  preflightRoute("/.well-known/openid-configuration", "GET", PUBLIC_API),
  route("GET", "/.well-known/oauth-authorization-server", getMetadata, {
    ...METADATA,
    id: "getAuthorizationServerMetadata",
    summary: "Get the provider's metadata (RFC 8414)",
  }, PUBLIC_API),
  preflightRoute("/.well-known/oauth-authorization-server", "GET", PUBLIC_API),
];

const RESOURCE_IDS: Readonly<Record<ResourcePath, string>> = {
  "/mcp": "getMcpMetadata",
  "/api": "getApiMetadata",
  "/api/auth/oauth2/userinfo": "getUserInfoMetadata",
};

const RESOURCE_ROUTES: readonly Route[] = RESOURCE_PATHS.flatMap((path): readonly Route[] => [
  route("GET", resourceMetadataPath(path), getResourceMetadata(path), {
    id: RESOURCE_IDS[path],
    tag,
    summary: `Get the metadata of the resource ${path} (RFC 9728)`,
    returns: { 200: ProtectedResource },
  }, PUBLIC_API),
  preflightRoute(resourceMetadataPath(path), "GET", PUBLIC_API),
]);

export const AUTHORIZATION_ROUTES: readonly Route[] = [
  ...AUTHORIZE_ROUTES,
  ...TOKEN_ROUTES,
  ...DEVICE_ROUTES,
  ...LOGOUT_ROUTES,
  ...METADATA_ROUTES,
  ...RESOURCE_ROUTES,
];
