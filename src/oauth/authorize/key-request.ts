import type { Client } from "../client/client.ts";
import { DetailsError, readRequestedPolicy } from "../authorization-details.ts";
import { findParameter, type OAuthParameters } from "../parameters.ts";
import { KEY_SCOPES } from "../scope.ts";

export interface KeyRequestFault {
  readonly code: "invalid_scope" | "invalid_authorization_details";
  readonly description: string;
}

/** The requested policy in canonical JSON. Undefined if the owner picks it, or without `keys:sign`. */
export interface KeyRequest {
  readonly policy: string | undefined;
}

function fault(code: KeyRequestFault["code"], description: string): { readonly fault: KeyRequestFault } {
  return { fault: { code, description } };
}

/**
 * Parses what an authorization request asks of keys, or returns its fault. Scopes must be registered for the client.
 * Without `authorization_details` (RFC 9396 sections 3 and 5), the owner picks what `keys:sign` permits.
 */
export function readKeyRequest(
  { keyScopes }: Client,
  scopes: readonly string[],
  parameters: OAuthParameters,
): KeyRequest | { readonly fault: KeyRequestFault } {
  const foreign = KEY_SCOPES.find((scope) => scopes.includes(scope) && !keyScopes.includes(scope));
  if (foreign !== undefined) return fault("invalid_scope", `This client is not registered for ${foreign}`);
  const details = findParameter(parameters, "authorization_details");
  const signs = scopes.includes("keys:sign");
  if (details === undefined) return { policy: undefined };
  try {
    const policy = readRequestedPolicy(details);
    return signs ? { policy } : fault(
      "invalid_authorization_details",
      "Ask for the scope keys:sign with these authorization_details",
    );
  } catch (error) {
    if (error instanceof DetailsError) return fault("invalid_authorization_details", error.message);
    throw error;
  }
}
