import * as v from "valibot";
import {
  Introspection,
  KeySet,
  ProviderMetadata,
  TokenResponse,
  UserInfo,
} from "../../features/authorization/schema.ts";
import type { Operation, Operations } from "../../http/description.ts";

const optional = v.exactOptional(v.string());

/** OpenID Connect Core section 3.1.2.1. */
const AuthorizationRequest = v.looseObject({
  response_type: v.literal("code"),
  client_id: v.string(),
  redirect_uri: v.string(),
  scope: v.string(),
  state: optional,
  nonce: optional,
  code_challenge: v.pipe(v.string(), v.description("PKCE is for every client")),
  code_challenge_method: v.literal("S256"),
  prompt: optional,
  max_age: optional,
  login_hint: optional,
  dpop_jkt: optional,
  authorization_details: optional,
});
const EndSessionRequest = v.looseObject({
  id_token_hint: optional,
  client_id: optional,
  post_logout_redirect_uri: optional,
  state: optional,
});
const TokenRequest = v.looseObject({
  grant_type: v.picklist(["authorization_code", "refresh_token"]),
  code: optional,
  redirect_uri: optional,
  code_verifier: optional,
  refresh_token: optional,
  scope: optional,
  authorization_details: optional,
  client_id: optional,
});
const PresentedToken = v.looseObject({ token: v.string(), token_type_hint: optional, client_id: optional });
const AccessToken = v.looseObject({ access_token: optional });

const forClients = {
  tag: "OAuth",
  bodyIs: "form",
  limits: ["client_authentication"],
} as const satisfies Partial<Operation>;
const authorize = {
  tag: "OAuth",
  answers: { 200: "page", 303: null },
  limits: ["authorization_request", "authorization_request_site", "authorization_code"],
} as const satisfies Partial<Operation>;
const endSession = {
  tag: "OAuth",
  answers: { 303: null },
  limits: ["authorization_request", "authorization_request_site"],
} as const satisfies Partial<Operation>;
const metadata = { tag: "OAuth", answers: { 200: ProviderMetadata } } as const satisfies Partial<Operation>;

/** The authorization server. */
export const OAUTH_OPERATIONS: Operations = {
  "GET /api/auth/oauth2/authorize": {
    ...authorize,
    id: "authorize",
    summary: "Ask a person to let an application in",
    query: AuthorizationRequest,
  },
  "POST /api/auth/oauth2/authorize": {
    ...authorize,
    id: "authorizeByForm",
    summary: "The same, from a form",
    body: AuthorizationRequest,
    bodyIs: "form",
  },
  "POST /api/auth/oauth2/token": {
    ...forClients,
    id: "exchangeToken",
    summary: "Exchange a code or a refresh token (RFC 6749 section 3.2)",
    body: TokenRequest,
    answers: { 200: TokenResponse },
    limits: ["client_authentication", "token_request"],
  },
  "POST /api/auth/oauth2/revoke": {
    ...forClients,
    id: "revokeOAuthToken",
    summary: "Revoke a token (RFC 7009)",
    body: PresentedToken,
    answers: { 200: null },
  },
  "POST /api/auth/oauth2/introspect": {
    ...forClients,
    id: "introspect",
    summary: "Ask what a token is worth (RFC 7662)",
    body: PresentedToken,
    answers: { 200: Introspection },
  },
  "GET /api/auth/oauth2/userinfo": {
    id: "getUserInfo",
    tag: "OAuth",
    summary: "Ask who let the application in (OpenID Connect Core section 5.3)",
    answers: { 200: UserInfo },
  },
  "POST /api/auth/oauth2/userinfo": {
    id: "postUserInfo",
    tag: "OAuth",
    summary: "The same, with the token in the header or a form",
    body: AccessToken,
    bodyIs: "form",
    answers: { 200: UserInfo },
  },
  "GET /api/auth/oauth2/end-session": {
    ...endSession,
    id: "endSessionAtProvider",
    summary: "Sign out from an application (OpenID Connect RP-Initiated Logout)",
    query: EndSessionRequest,
  },
  "POST /api/auth/oauth2/end-session": {
    ...endSession,
    id: "endSessionAtProviderByForm",
    summary: "The same, from a form",
    body: EndSessionRequest,
    bodyIs: "form",
  },
  "GET /api/auth/jwks": {
    id: "getKeySet",
    tag: "OAuth",
    summary: "Fetch the public keys of its tokens",
    answers: { 200: KeySet },
  },
  "GET /.well-known/openid-configuration": {
    ...metadata,
    id: "getOpenIdConfiguration",
    summary: "Fetch the provider's metadata (OpenID Connect Discovery)",
  },
  "GET /.well-known/oauth-authorization-server": {
    ...metadata,
    id: "getAuthorizationServerMetadata",
    summary: "Fetch the provider's metadata (RFC 8414)",
  },
};
