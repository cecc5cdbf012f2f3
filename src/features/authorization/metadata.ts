import { json } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { providerMetadata } from "../../oauth/metadata.ts";
import type { OAuthServices } from "../../oauth/services.ts";
import { publicJwks } from "../../oauth/token/signing-key.ts";
import type { KeySet, ProviderMetadata } from "./schema.ts";

/** Nothing in it changes but with a new version of the service. */
const CACHED = [["cache-control", "public, max-age=900"]] as const;

/**
 * The metadata document, the same at both well-known addresses (RFC 8414 section 3, OpenID Connect Discovery section
 * 4).
 */
export function createMetadataEndpoint({ baseUrl }: { readonly baseUrl: string }): LegacyEndpoint<undefined> {
  const document = providerMetadata(baseUrl);
  return () => Promise.resolve(json<typeof ProviderMetadata>(200, document, CACHED));
}

/** Much shorter than keys are published ahead of their first use (`KEY_PUBLISHED_AHEAD`). */
const CACHED_KEYS = [["cache-control", "public, max-age=900"]] as const;

/** The key set (RFC 7517 section 5): public members only. */
export function createJwksEndpoint(
  services: OAuthServices & Pick<Services, "db">,
): LegacyEndpoint<undefined> {
  return async ({ now }) =>
    json<typeof KeySet>(200, await publicJwks(services.db, services, now), CACHED_KEYS);
}
