import type { Client } from "../client/client.ts";
import { isThumbprint } from "../dpop/proof-key.ts";
import { OAuthError, type OAuthErrorCode, type ResponseTarget } from "../error.ts";
import { findParameter, type OAuthParameters } from "../parameters.ts";
import { MCP_PATH, readResource } from "../resource.ts";
import { claimScopesOf, KEY_SCOPES, readScope, SCOPES } from "../scope.ts";
import type { OAuthServices } from "../services.ts";
import { readClaimsRequest } from "./claims-request.ts";
import { readKeyRequest } from "./key-request.ts";

/** Throws an OAuthError unless the condition holds. */
export type Check = (condition: boolean, code: OAuthErrorCode, description: string) => asserts condition;

/** Creates the check of a request. Without a target, its errors are not redirected. */
export function checksFor(redirectTo?: ResponseTarget): Check {
  return (condition, code, description) => {
    if (!condition) throw new OAuthError(code, description, redirectTo === undefined ? {} : { redirectTo });
  };
}

/** Checks the thumbprint of a key for DPoP (RFC 9449 section 10). */
export function checkThumbprint(dpopJkt: string | undefined, check: Check): void {
  check(
    dpopJkt === undefined || isThumbprint(dpopJkt),
    "invalid_request",
    "Send as dpop_jkt the base64url SHA-256 thumbprint of the key, 43 characters",
  );
}

export interface RequestedRights {
  /** The scopes to grant, separated by spaces. */
  readonly scope: string;
  /** The claims requested by name (`ClaimsRequest`), JSON; null for the usual ones. */
  readonly claims: string | null;
  /** The user that the `claims` parameter requires, if any. */
  readonly subject: string | undefined;
  /** The requested policy in canonical JSON, if any. */
  readonly policy: string | undefined;
  /** The path of the requested resource (RFC 8707); null for the issuer. */
  readonly resource: string | null;
}

/** Validates what a client asks for, whatever the flow: resource, scope, claims and keys. Throws an OAuthError. */
export function readRequestedRights(
  { issuer }: Pick<OAuthServices, "issuer">,
  { client, parameters }: { readonly client: Client; readonly parameters: OAuthParameters },
  check: Check,
): RequestedRights {
  const resourceText = findParameter(parameters, "resource");
  const resource = resourceText === undefined ? null : readResource(issuer, resourceText);
  check(resource !== undefined, "invalid_target", "Send a resource of this server, or none");
  const scopeText = findParameter(parameters, "scope");
  const usual = resource === MCP_PATH ? KEY_SCOPES : [];
  const scopes = scopeText === undefined ? usual : readScope(scopeText);
  check(
    scopes !== undefined,
    "invalid_scope",
    "Send a scope of printable ASCII without quotes and backslashes",
  );
  const known = SCOPES.filter((scope) => scopes.includes(scope) && mayRequest(client, scope, scopes));
  check(known.length > 0, "invalid_scope", "Send a scope that includes openid or a scope for keys");
  const claims = readClaimsRequest(client, parameters);
  check(
    claims !== undefined,
    "invalid_request",
    "Send claims as OpenID Connect Core section 5.5 defines them",
  );
  check(!claims.isUnmet, "access_denied", "No sign-in here has the required acr");
  const keyRequest = readKeyRequest(client, scopes, parameters);
  if ("fault" in keyRequest) check(false, keyRequest.fault.code, keyRequest.fault.description);
  const { policy } = keyRequest;
  return { scope: known.join(" "), claims: claims.claims, subject: claims.subject, policy, resource };
}

/** Returns false for a scope of claims that is not registered for the client, or sent without `openid`. */
function mayRequest(
  { claimScopes }: Client,
  scope: (typeof SCOPES)[number],
  scopes: readonly string[],
): boolean {
  if (claimScopesOf(scope).length === 0) return true;
  const registered: readonly string[] = claimScopes;
  return scopes.includes("openid") && registered.includes(scope);
}
