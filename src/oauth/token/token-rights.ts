import { DetailsError, grantedDetail, narrowDetail } from "../authorization-details.ts";
import type { SigningDetail } from "../authorization-details.ts";
import type { Client } from "../client/client.ts";
import type { Proof } from "../dpop/proof.ts";
import { OAuthError } from "../error.ts";
import type { Grant } from "../grant.ts";
import { findParameter } from "../parameters.ts";
import type { OAuthParameters } from "../parameters.ts";
import { includesScope, keyScopesOf, readScope } from "../scope.ts";

/** What an access token is for: all that was granted, or less. */
export interface TokenRights {
  readonly scope: string;
  /** What may be signed with it; undefined for nothing. */
  readonly detail: SigningDetail | undefined;
  /** Whether the detail is less than was granted: then the token says what is left. */
  readonly isNarrowed: boolean;
}

/** What of a token request decides on it. */
interface Asked {
  readonly client: Client;
  readonly form: OAuthParameters;
  readonly proof: Proof | undefined;
}

/** RFC 6749 section 6: the same scope or less; the refresh token keeps the one it has. */
function readTokenScope(grant: Grant, { form }: Asked): string {
  const wanted = findParameter(form, "scope");
  if (wanted === undefined) return grant.scope;
  const scopes = readScope(wanted) ?? [];
  const isWithin = scopes.length > 0 && includesScope(grant.scope, scopes.join(" "));
  if (!isWithin) throw new OAuthError("invalid_scope", "Send no scope, or one that was granted");
  return grant.scope.split(" ").filter((scope) => scopes.includes(scope)).join(" ");
}

function readTokenDetail(
  granted: SigningDetail | undefined,
  scope: string,
  { form }: Asked,
): SigningDetail | undefined {
  const sent = findParameter(form, "authorization_details");
  if (sent === undefined) return granted;
  // They say what is signed. Whoever leaves that out would take what they say for a limit of the rest.
  if (granted !== undefined && !includesScope(scope, "keys:sign")) {
    throw new OAuthError(
      "invalid_authorization_details",
      "Send authorization_details with the scope keys:sign, or neither",
    );
  }
  if (granted === undefined) {
    throw new OAuthError("invalid_authorization_details", "Send no authorization_details: none were granted");
  }
  try {
    return narrowDetail(granted, sent);
  } catch (error) {
    if (error instanceof DetailsError) throw new OAuthError("invalid_authorization_details", error.message);
    throw error;
  }
}

/**
 * What the access token of a request is for (RFC 6749 section 6, RFC 9396 sections 6 and 7): what was granted, or as
 * much of it as is asked for. Throws `invalid_scope`, `invalid_authorization_details`, and `invalid_dpop_proof` where the
 * client's tokens for keys must be bound to a key (RFC 9449 section 5.2) and none is proven.
 */
export function readTokenRights(grant: Grant, asked: Asked): TokenRights {
  const scope = readTokenScope(grant, asked);
  const granted = grantedDetail(grant);
  const wanted = readTokenDetail(granted, scope, asked);
  const isForKeys = keyScopesOf(scope).length > 0;
  if (isForKeys && asked.client.dpopBoundAccessTokens && asked.proof === undefined) {
    throw new OAuthError(
      "invalid_dpop_proof",
      "Send a DPoP proof: this client's tokens for keys are bound to a key",
    );
  }
  const detail = includesScope(scope, "keys:sign") ? wanted : undefined;
  return { scope, detail, isNarrowed: detail !== undefined && detail !== granted };
}
