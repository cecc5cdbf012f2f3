import type { Operation } from "../../http/description.ts";
import { preflightRoute } from "../../http/preflight.ts";
import {
  LEADS_TO_APPLICATIONS,
  OAUTH,
  PUBLIC_API,
  PUBLIC_OAUTH,
} from "../../http/response/security-headers.ts";
import { pageRoute, type Route, route } from "../../http/route.ts";
import { authorizeByForm, authorizeByQuery } from "./authorize.ts";
import { decideConsent, showConsent } from "./consent.ts";
import { decideEndSession, endSessionByForm, endSessionByQuery, showEndSession } from "./end-session.ts";
import { getKeySet, getMetadata } from "./metadata.ts";
import {
  AccessTokenForm,
  AuthorizationParameters,
  EndSessionParameters,
  Introspection,
  KeySet,
  PresentedToken,
  ProviderMetadata,
  TokenParameters,
  TokenResponse,
  UserInfo,
} from "./schema.ts";
import { getUserInfo, introspectOAuthToken, issueTokens, revokeOAuthToken } from "./token.ts";

const tag = "OAuth";

const TO_AUTHORIZE = {
  tag,
  limits: ["authorization_request", "authorization_request_site", "authorization_code"],
} as const satisfies Partial<Operation>;

const TO_END_SESSION = {
  tag,
  answers: { 303: null },
  limits: ["authorization_request", "authorization_request_site"],
} as const satisfies Partial<Operation>;

const FOR_CLIENTS = {
  tag,
  bodyIs: "form",
  limits: ["client_authentication"],
} as const satisfies Partial<Operation>;

const METADATA = { tag, answers: { 200: ProviderMetadata } } as const satisfies Partial<Operation>;

const AUTHORIZE_ROUTES: readonly Route[] = [
  pageRoute("GET", "/api/auth/oauth2/authorize", authorizeByQuery, {
    ...TO_AUTHORIZE,
    id: "authorize",
    summary: "Ask a person to let an application in",
    query: AuthorizationParameters,
  }, LEADS_TO_APPLICATIONS),
  pageRoute("POST", "/api/auth/oauth2/authorize", authorizeByForm, {
    ...TO_AUTHORIZE,
    id: "authorizeByForm",
    summary: "The same, from a form",
    body: AuthorizationParameters,
    bodyIs: "form",
  }, LEADS_TO_APPLICATIONS),
  pageRoute("GET", "/consent", showConsent, {
    id: "consentPage",
    summary: "Asks whether to let an application in",
  }, LEADS_TO_APPLICATIONS),
  pageRoute("POST", "/consent", decideConsent, {
    id: "consentForm",
    summary: "The answer to that",
    codes: ["recently_recovered"],
  }, LEADS_TO_APPLICATIONS),
];

const TOKEN_ROUTES: readonly Route[] = [
  route("POST", "/api/auth/oauth2/token", issueTokens, {
    ...FOR_CLIENTS,
    id: "exchangeToken",
    summary: "Exchange a code or a refresh token (RFC 6749 section 3.2)",
    body: TokenParameters,
    answers: { 200: TokenResponse },
    limits: ["client_authentication", "token_request"],
  }, PUBLIC_OAUTH),
  preflightRoute("/api/auth/oauth2/token", "POST", PUBLIC_OAUTH),
  route("POST", "/api/auth/oauth2/revoke", revokeOAuthToken, {
    ...FOR_CLIENTS,
    id: "revokeOAuthToken",
    summary: "Revoke a token (RFC 7009)",
    body: PresentedToken,
    answers: { 200: null },
  }, PUBLIC_OAUTH),
  preflightRoute("/api/auth/oauth2/revoke", "POST", PUBLIC_OAUTH),
  route("POST", "/api/auth/oauth2/introspect", introspectOAuthToken, {
    ...FOR_CLIENTS,
    id: "introspect",
    summary: "Ask what a token is worth (RFC 7662)",
    body: PresentedToken,
    answers: { 200: Introspection },
  }, OAUTH),
  route("GET", "/api/auth/oauth2/userinfo", getUserInfo, {
    id: "getUserInfo",
    tag,
    summary: "Ask who let the application in (OpenID Connect Core section 5.3)",
    answers: { 200: UserInfo },
  }, PUBLIC_OAUTH),
  route("POST", "/api/auth/oauth2/userinfo", getUserInfo, {
    id: "postUserInfo",
    tag,
    summary: "The same, with the token in the header or a form",
    body: AccessTokenForm,
    bodyIs: "form",
    answers: { 200: UserInfo },
  }, PUBLIC_OAUTH),
  preflightRoute("/api/auth/oauth2/userinfo", "GET, POST", PUBLIC_OAUTH),
];

const LOGOUT_ROUTES: readonly Route[] = [
  pageRoute("GET", "/api/auth/oauth2/end-session", endSessionByQuery, {
    ...TO_END_SESSION,
    id: "endSessionAtProvider",
    summary: "Sign out from an application (OpenID Connect RP-Initiated Logout)",
    query: EndSessionParameters,
  }, LEADS_TO_APPLICATIONS),
  pageRoute("POST", "/api/auth/oauth2/end-session", endSessionByForm, {
    ...TO_END_SESSION,
    id: "endSessionAtProviderByForm",
    summary: "The same, from a form",
    body: EndSessionParameters,
    bodyIs: "form",
  }, LEADS_TO_APPLICATIONS),
  pageRoute("GET", "/end-session", showEndSession, {
    id: "endSessionPage",
    summary: "Asks whether to sign out",
  }, LEADS_TO_APPLICATIONS),
  pageRoute("POST", "/end-session", decideEndSession, {
    id: "endSessionForm",
    summary: "The answer to that",
  }, LEADS_TO_APPLICATIONS),
];

const METADATA_ROUTES: readonly Route[] = [
  route("GET", "/api/auth/jwks", getKeySet, {
    id: "getKeySet",
    tag,
    summary: "Fetch the public keys of its tokens",
    answers: { 200: KeySet },
  }, PUBLIC_API),
  preflightRoute("/api/auth/jwks", "GET", PUBLIC_API),
  route("GET", "/.well-known/openid-configuration", getMetadata, {
    ...METADATA,
    id: "getOpenIdConfiguration",
    summary: "Fetch the provider's metadata (OpenID Connect Discovery)",
  }, PUBLIC_API),
  preflightRoute("/.well-known/openid-configuration", "GET", PUBLIC_API),
  route("GET", "/.well-known/oauth-authorization-server", getMetadata, {
    ...METADATA,
    id: "getAuthorizationServerMetadata",
    summary: "Fetch the provider's metadata (RFC 8414)",
  }, PUBLIC_API),
  preflightRoute("/.well-known/oauth-authorization-server", "GET", PUBLIC_API),
];

export const AUTHORIZATION_ROUTES: readonly Route[] = [
  ...AUTHORIZE_ROUTES,
  ...TOKEN_ROUTES,
  ...LOGOUT_ROUTES,
  ...METADATA_ROUTES,
];
