import { publicAccess } from "../../http/guard/guard.ts";
import { json } from "../../http/response/respond.ts";
import { defineEndpoint, type Endpoint } from "../../http/route.ts";
import { providerMetadata } from "../../oauth/metadata.ts";
import { resourceMetadata, type ResourcePath } from "../../oauth/resource.ts";
import { publicJwks } from "../../oauth/token/signing-key.ts";
import type { KeySet, ProtectedResource, ProviderMetadata } from "./schema.ts";

/** Must be much shorter than `KEY_PUBLISHED_AHEAD`. The metadata changes only with a new version of the service. */
const CACHED = [["cache-control", "public, max-age=900"]] as const;

/** The document at both well-known paths (RFC 8414 section 3, OpenID Connect Discovery section 4). */
export const getMetadata = defineEndpoint(
  publicAccess,
  {},
  (_context, _principal, _input, services) =>
    Promise.resolve(json<typeof ProviderMetadata>(200, providerMetadata(services), CACHED)),
);

/** Creates the endpoint of a resource's metadata (RFC 9728 section 3). */
export function getResourceMetadata(path: ResourcePath): Endpoint {
  return defineEndpoint(
    publicAccess,
    {},
    (_context, _principal, _input, { issuer }) =>
      Promise.resolve(json<typeof ProtectedResource>(200, resourceMetadata(issuer, path), CACHED)),
  );
}

/** The key set (RFC 7517 section 5): public members only. */
export const getKeySet = defineEndpoint(
  publicAccess,
  {},
  async ({ now }, _principal, _input, services) =>
    json<typeof KeySet>(200, await publicJwks(services.db, services, now), CACHED),
);
