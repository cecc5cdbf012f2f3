import { providerMetadata } from "../../../oauth/metadata.ts";
import type { ProviderMetadata } from "../../answer/schema/oauth.ts";
import { json } from "../../answer/respond.ts";
import type { Endpoint } from "../../route.ts";

/** Nothing in it changes but with a new version of the service. */
const CACHED = [["cache-control", "public, max-age=900"]] as const;

/**
 * The metadata document, the same at both well-known addresses (RFC 8414 section 3, OpenID Connect Discovery section
 * 4).
 */
export function createMetadataEndpoint({ baseUrl }: { readonly baseUrl: string }): Endpoint<undefined> {
  const document = providerMetadata(baseUrl);
  return () => Promise.resolve(json<typeof ProviderMetadata>(200, document, CACHED));
}
