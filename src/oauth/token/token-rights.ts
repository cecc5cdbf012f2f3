import { DetailsError, grantedDetail, narrowDetail, type SigningDetail } from "../authorization-details.ts";
import type { Client } from "../client/client.ts";
import type { Proof } from "../dpop/proof.ts";
import { OAuthError } from "../error.ts";
import type { Grant } from "../grant.ts";
import { findParameter, type OAuthParameters } from "../parameters.ts";
import { includesScope, keyScopesOf, readScope } from "../scope.ts";

/** The rights of an access token: the granted ones or fewer. */
export interface TokenRights {
  readonly scope: string;
  readonly detail: SigningDetail | undefined;
  /** True if the detail is narrower than the grant, so that the token must contain it. */
  readonly isNarrowed: boolean;
}

interface RequestedRights {
  readonly client: Client;
  readonly form: OAuthParameters;
  readonly proof: Proof | undefined;
}

/** RFC 6749 section 6: at most the granted scope. The refresh token keeps its own. */
function readTokenScope(grant: Grant, { form }: RequestedRights): string {
  const wanted = findParameter(form, "scope");
  if (wanted === undefined) return grant.scope;
  const scopes = readScope(wanted) ?? [];
  const isGranted = scopes.length > 0 && includesScope(grant.scope, scopes.join(" "));
  if (!isGranted) throw new OAuthError("invalid_scope", "Send no scope, or one that was granted");
  return grant.scope.split(" ").filter((scope) => scopes.includes(scope)).join(" ");
}

function readTokenDetail(
  granted: SigningDetail | undefined,
  scope: string,
  { form }: RequestedRights,
): SigningDetail | undefined {
  const sent = findParameter(form, "authorization_details");
  if (sent === undefined) return granted;
  // A client that omits keys:sign could believe that the details limit the other scopes.
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
 * Returns the rights of a requested access token (RFC 6749 section 6, RFC 9396 sections 6 and 7). Throws
 * `invalid_scope` and `invalid_authorization_details`. Throws `invalid_dpop_proof` if the client's tokens for keys
 * must be bound (RFC 9449 section 5.2) and no key is proven.
 */
export function readTokenRights(grant: Grant, requested: RequestedRights): TokenRights {
  const scope = readTokenScope(grant, requested);
  const granted = grantedDetail(grant);
  const wanted = readTokenDetail(granted, scope, requested);
  const isForKeys = keyScopesOf(scope).length > 0;
  if (isForKeys && requested.client.dpopBoundAccessTokens && requested.proof === undefined) {
    throw new OAuthError(
      "invalid_dpop_proof",
      "Send a DPoP proof: this client's tokens for keys are bound to a key",
    );
  }
  const detail = includesScope(scope, "keys:sign") ? wanted : undefined;
  return { scope, detail, isNarrowed: detail !== undefined && detail !== granted };
}
