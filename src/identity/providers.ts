import { createGitHubProvider } from "./github.ts";
import { createOpenIdProvider } from "./openid-connect.ts";
import type { IdentityProvider, ProviderConfig } from "./provider.ts";

/** The configured providers by id, in configuration order. */
export type IdentityProviders = ReadonlyMap<string, IdentityProvider>;

/** Creates the providers. Sends no request, so that the service starts while a provider is down. */
export function createIdentityProviders(configs: readonly ProviderConfig[]): IdentityProviders {
  return new Map(
    configs.map((config) => [
      config.id,
      config.kind === "github" ? createGitHubProvider(config) : createOpenIdProvider(config),
    ]),
  );
}
