import { isLoopbackName } from "../lib/ip-address.ts";
import { isOnThisMachine, type PostgresAddress } from "../lib/postgres-address.ts";
import type { AllowedHosts } from "../lib/outgoing.ts";
import type { DocumentHosts } from "../oauth/client/document-url.ts";
import type { LogoutHosts } from "../oauth/client/logout-uri.ts";

/** Returns true if the service runs on localhost (development). Any other origin is production. */
export function isDevelopment(baseUrl: string | undefined): boolean {
  return baseUrl === undefined || isLoopbackName(new URL(baseUrl).hostname);
}

/** Returns the networks that logout notifications may be sent to. Development also allows this machine. */
export function logoutHostsAt(
  baseUrl: string | undefined,
  { logoutHosts }: { readonly logoutHosts: "public" | "private" },
): LogoutHosts {
  return isDevelopment(baseUrl) ? "local" : logoutHosts;
}

/** Returns the hosts whose client metadata documents are accepted, and whether they may be private. */
export function clientMetadataAt(
  baseUrl: string | undefined,
  { clientMetadata }: { readonly clientMetadata: DocumentHosts | undefined },
): { readonly hosts: DocumentHosts; readonly allowed: AllowedHosts } {
  return isDevelopment(baseUrl)
    ? { hosts: clientMetadata ?? "on", allowed: "any" }
    : { hosts: clientMetadata ?? "off", allowed: "public" };
}

export interface ServingFacts {
  readonly baseUrl: string | undefined;
  readonly tee: string;
  readonly rateLimits: string;
  readonly hasAdminApiKey: boolean;
  readonly hasMail: boolean;
  readonly hasIdentityProviders: boolean;
  readonly postgres: PostgresAddress | undefined;
}

type Rule = readonly [isBroken: (facts: ServingFacts) => boolean, fault: string];

const RULES: readonly Rule[] = [
  [
    ({ tee }) => tee === "simulated",
    "TEE must be dstack or tdx in production: a simulated TEE does not protect the keys from anyone with access to the machine",
  ],
  [
    ({ hasAdminApiKey }) => !hasAdminApiKey,
    "ADMIN_API_KEY must be set in production: at least 32 characters, for example from `openssl rand -hex 32`",
  ],
  [
    ({ hasMail, hasIdentityProviders }) => !hasMail && !hasIdentityProviders,
    "SMTP_URL and MAIL_FROM, or IDENTITY_PROVIDERS, must be set in production: without them no account can be created",
  ],
  [
    ({ rateLimits }) => rateLimits === "off",
    "RATE_LIMITS must not be off in production: codes could be guessed and mailboxes flooded",
  ],
  [
    ({ postgres }) => postgres !== undefined && postgres.tls !== "verify-full" && !isOnThisMachine(postgres),
    "DATABASE_URL must have no sslmode but verify-full in production: otherwise an attacker on the network could pose as the server",
  ],
];

/**
 * Returns a sentence for each requirement of production that is not met; none in development. Does not check that
 * `TEE=auto` finds a real TEE: opening it does.
 */
export function findProductionFaults(facts: ServingFacts): string[] {
  if (isDevelopment(facts.baseUrl)) return [];
  return RULES.filter(([isBroken]) => isBroken(facts)).map(([, fault]) => fault);
}
