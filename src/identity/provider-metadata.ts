import { asObject } from "../lib/object.ts";
import { isLoopback } from "../lib/outgoing.ts";
import { check } from "./error.ts";
import { fetchJson, type ProviderConnection, requireAllowedHost } from "./provider-request.ts";
import type { OpenIdProviderConfig } from "./provider.ts";
import type { ClientAuthentication } from "./token-exchange.ts";

/** The members of a provider's metadata that are used (OpenID Connect Discovery section 3). */
export interface ProviderMetadata {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly jwksUri: string;
  readonly userinfoEndpoint: string | undefined;
  readonly authentication: ClientAuthentication;
  /** True if every authorization response names the issuer (RFC 9207 section 3). */
  readonly namesIssuer: boolean;
}

/** Returns true for https without credentials and fragment, or http on loopback if the configured issuer uses it. */
export function isEndpoint(text: string, issuer: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== "" || url.password !== "" || text.includes("#")) return false;
  if (url.protocol === "https:") return true;
  return url.protocol === "http:" && isLoopback(url.hostname) && issuer.startsWith("http:");
}

/**
 * Requests the metadata of the provider (OpenID Connect Discovery section 4). The issuer must equal the configured one
 * exactly (section 4.3). Endpoints must be valid and on hosts that the connection allows. Throws an IdentityError.
 */
export async function discover(
  connection: ProviderConnection,
  { issuer }: Pick<OpenIdProviderConfig, "issuer">,
): Promise<ProviderMetadata> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const metadata = asObject(await fetchJson(connection, url)) ?? {};
  check(metadata["issuer"] === issuer, "metadata_issuer");
  const endpoint = (name: string): string => {
    const value = metadata[name];
    check(typeof value === "string" && isEndpoint(value, issuer), "metadata_endpoint");
    return value;
  };
  const authorizationEndpoint = endpoint("authorization_endpoint");
  const [tokenEndpoint, jwksUri] = [endpoint("token_endpoint"), endpoint("jwks_uri")];
  const userinfoEndpoint = "userinfo_endpoint" in metadata ? endpoint("userinfo_endpoint") : undefined;
  for (
    const endpointUrl of [
      tokenEndpoint,
      jwksUri,
      ...(userinfoEndpoint === undefined ? [] : [userinfoEndpoint]),
    ]
  ) {
    await requireAllowedHost(connection, endpointUrl);
  }
  return {
    authorizationEndpoint,
    tokenEndpoint,
    jwksUri,
    userinfoEndpoint,
    authentication: readAuthentication(metadata["token_endpoint_auth_methods_supported"]),
    namesIssuer: metadata["authorization_response_iss_parameter_supported"] === true,
  };
}

/** Prefers Basic, the default of OpenID Connect Discovery section 3. Uses the form if only that is offered. */
function readAuthentication(methods: unknown): ClientAuthentication {
  if (methods === undefined) return "client_secret_basic";
  const offered: readonly unknown[] = Array.isArray(methods) ? methods : [];
  if (offered.includes("client_secret_basic")) return "client_secret_basic";
  check(offered.includes("client_secret_post"), "metadata_method");
  return "client_secret_post";
}
