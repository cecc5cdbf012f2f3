import type { Client } from "../client/client.ts";
import { DetailsError, readRequestedPolicy } from "../authorization-details.ts";
import { findParameter } from "../parameters.ts";
import type { OAuthParameters } from "../parameters.ts";
import { KEY_SCOPES } from "../scope.ts";

/** Why what is asked of keys cannot be asked. */
export interface KeyRequestFault {
  readonly code: "invalid_scope" | "invalid_authorization_details";
  readonly description: string;
}

/** What is asked to sign, canonical JSON; undefined where nothing is. */
export interface KeyRequest {
  readonly policy: string | undefined;
}

function fault(code: KeyRequestFault["code"], description: string): { readonly fault: KeyRequestFault } {
  return { fault: { code, description } };
}

/**
 * What an authorization request asks of the person's keys: scopes that its client is registered for, and with
 * `keys:sign` what is to be signed (RFC 9396 sections 3 and 5); or why it cannot.
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
  if (details === undefined) {
    return signs
      ? fault(
        "invalid_authorization_details",
        "Send with keys:sign authorization_details that say what is signed",
      )
      : { policy: undefined };
  }
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
