import { createGitHubProvider } from "./github.ts";
import { createOpenIdProvider } from "./openid-connect.ts";
import type { IdentityProvider, ProviderConfig } from "./provider.ts";

/** The configured providers by id, in the order of the configuration. */
export type IdentityProviders = ReadonlyMap<string, IdentityProvider>;

/** Makes the providers. Asks none of them anything: that they can be down must not keep the service from starting. */
export function createIdentityProviders(configs: readonly ProviderConfig[]): IdentityProviders {
  return new Map(
    configs.map((config) => [
      config.id,
      config.kind === "github" ? createGitHubProvider(config) : createOpenIdProvider(config),
    ]),
  );
}
