import { KEY_SCOPES } from "./scope.ts";

/** The path of the Model Context Protocol endpoint. */
export const MCP_PATH = "/mcp";

/** The protected resources (RFC 9728), by path: the realm of their challenges, and their scopes. */
export const RESOURCES = {
  [MCP_PATH]: { realm: "mcp", scopes: KEY_SCOPES },
  "/api": { realm: "keys", scopes: KEY_SCOPES },
  "/api/auth/oauth2/userinfo": { realm: "oauth", scopes: ["openid"] },
} as const;

export type ResourcePath = keyof typeof RESOURCES;

export const RESOURCE_PATHS = Object.keys(RESOURCES) as readonly ResourcePath[];

/**
 * Returns the path of the resource that a `resource` parameter names (RFC 8707 section 2): null for the issuer, for
 * which tokens are without the parameter. Returns undefined for any other text.
 */
export function readResource(issuer: string, text: string): ResourcePath | null | undefined {
  if (text === issuer || text === `${issuer}/`) return null;
  return RESOURCE_PATHS.find((path) => text === issuer + path);
}

/** Returns the `aud` of access tokens for a resource; null is the issuer. */
export function audienceOf(issuer: string, path: string | null): string {
  return issuer + (path ?? "");
}

/**
 * Returns true if a resource accepts tokens with this `aud`: its own identifier, and for all but `/mcp` the issuer,
 * which is the audience of tokens whose request names no resource.
 */
export function isAudienceOf(issuer: string, path: ResourcePath, aud: unknown): boolean {
  return aud === issuer + path || (path !== MCP_PATH && aud === issuer);
}

const METADATA_PATH = "/.well-known/oauth-protected-resource";

export function resourceMetadataPath(path: ResourcePath): string {
  return METADATA_PATH + path;
}

/** The metadata of a protected resource (RFC 9728 section 2). */
export interface ResourceMetadata {
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly scopes_supported: readonly string[];
  readonly bearer_methods_supported: readonly ["header"];
}

export function resourceMetadata(issuer: string, path: ResourcePath): ResourceMetadata {
  return {
    resource: issuer + path,
    authorization_servers: [issuer],
    scopes_supported: RESOURCES[path].scopes,
    bearer_methods_supported: ["header"],
  };
}

/** A use of a protected resource, as its challenges name it. */
export interface ResourceUse {
  readonly issuer: string;
  readonly path: ResourcePath;
  /** The scopes that the use needs, separated by spaces. Empty if no application can have them. */
  readonly scope: string;
}

/**
 * Returns the parameters that follow the scheme in a challenge: the error, if any, the address of the resource's
 * metadata (RFC 9728 section 5.1), and the needed scope (RFC 6750 section 3). The description must fit into a quoted
 * string of a header.
 */
export function challengeParameters(
  { issuer, path, scope }: ResourceUse,
  fault?: { readonly error: string; readonly description?: string | undefined },
): string {
  const parameters = {
    error: fault?.error,
    error_description: fault?.description,
    resource_metadata: issuer + resourceMetadataPath(path),
    scope: scope === "" ? undefined : scope,
  };
  return Object.entries(parameters).filter(([, value]) => value !== undefined)
    .map(([name, value]) => `, ${name}="${value}"`).join("");
}
