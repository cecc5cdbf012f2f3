import { PROMPTS } from "./authorize/authorization-request.ts";
import { AUTHENTICATION_METHODS } from "./client/client.ts";
import { ASSERTION_ALGORITHMS } from "./client/client-keys.ts";
import type { OAuthServices } from "./services.ts";
import { AUTHENTICATION_CONTEXT } from "./token/id-token.ts";
import { SIGNING_TYPE } from "./authorization-details.ts";
import { PROOF_ALGORITHMS } from "./dpop/proof-key.ts";
import { SCOPES } from "./scope.ts";
import { TOKEN_ALGORITHMS } from "./token/signing-key.ts";
import { GRANT_TYPES } from "./token/token.ts";
import { USER_CLAIMS } from "./token/user-claims.ts";

const OAUTH_PATHS = {
  authorization_endpoint: "/api/auth/oauth2/authorize",
  pushed_authorization_request_endpoint: "/api/auth/oauth2/par",
  device_authorization_endpoint: "/api/auth/oauth2/device_authorization",
  token_endpoint: "/api/auth/oauth2/token",
  userinfo_endpoint: "/api/auth/oauth2/userinfo",
  revocation_endpoint: "/api/auth/oauth2/revoke",
  introspection_endpoint: "/api/auth/oauth2/introspect",
  end_session_endpoint: "/api/auth/oauth2/end-session",
  jwks_uri: "/api/auth/jwks",
} as const;

const ID_TOKEN_CLAIMS = [
  "iss",
  "aud",
  "iat",
  "exp",
  "auth_time",
  "nonce",
  "sid",
  "at_hash",
  "acr",
  "amr",
] as const;

const ALL_METHODS = [...new Set(Object.values(AUTHENTICATION_METHODS).flat())].sort();

const CONFIDENTIAL_METHODS = AUTHENTICATION_METHODS.web;

/** Returns the addresses of the endpoints by their names in the metadata. */
export function providerEndpoints(issuer: string): readonly (readonly [name: string, url: string])[] {
  return Object.entries(OAUTH_PATHS).map(([name, path]) => [name, issuer + path]);
}

/** Returns the document of both well-known addresses (RFC 8414 section 2, OpenID Connect Discovery section 3). */
export function providerMetadata(
  { issuer, clientDocuments }: Pick<OAuthServices, "issuer" | "clientDocuments">,
): Readonly<Record<string, string | boolean | readonly string[]>> {
  return {
    issuer,
    ...Object.fromEntries(providerEndpoints(issuer)),
    scopes_supported: SCOPES,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: GRANT_TYPES,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: TOKEN_ALGORITHMS,
    token_endpoint_auth_methods_supported: ALL_METHODS,
    revocation_endpoint_auth_methods_supported: ALL_METHODS,
    introspection_endpoint_auth_methods_supported: CONFIDENTIAL_METHODS,
    token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    introspection_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    code_challenge_methods_supported: ["S256"],
    dpop_signing_alg_values_supported: PROOF_ALGORITHMS,
    authorization_details_types_supported: [SIGNING_TYPE],
    prompt_values_supported: PROMPTS,
    acr_values_supported: [AUTHENTICATION_CONTEXT],
    claims_supported: [...ID_TOKEN_CLAIMS, ...USER_CLAIMS],
    authorization_response_iss_parameter_supported: true,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    claims_parameter_supported: true,
    client_id_metadata_document_supported: clientDocuments.isOn,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    require_pushed_authorization_requests: false,
  };
}
