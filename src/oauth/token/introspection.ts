import type { Db } from "../../db/schema/schema.ts";
import type { Instant } from "../../lib/time.ts";
import { grantedDetail, type SigningDetail } from "../authorization-details.ts";
import { authenticateClient, type ClientCredentials } from "../client/client-authentication.ts";
import { isPublicClient } from "../client/client.ts";
import { OAuthError } from "../error.ts";
import { endGrant } from "../grant.ts";
import { findParameter } from "../parameters.ts";
import { audienceOf } from "../resource.ts";
import type { OAuthServices } from "../services.ts";
import { numericDate } from "./access-token.ts";
import { findPresentedGrant, findPresentedToken, type PresentedToken } from "./presented-token.ts";

/** RFC 7662 section 2.2. */
export type Introspection = { readonly active: false } | {
  readonly active: true;
  readonly scope: string;
  readonly client_id: string;
  readonly sub: string;
  readonly iss: string;
  readonly iat: number;
  readonly exp: number;
  /** Access tokens only. */
  readonly token_type?: "Bearer" | "DPoP";
  readonly aud?: string;
  readonly jti?: string;
  /** RFC 9449 section 6.2: bound tokens only. */
  readonly cnf?: { readonly jkt: string };
  /** RFC 9396 section 9.2. */
  readonly authorization_details?: readonly SigningDetail[];
};

const INACTIVE: Introspection = { active: false };

/**
 * Handles the introspection endpoint (RFC 7662 section 2) for a token of the requesting client. Confidential clients
 * only, because a `client_id` alone authenticates no client. The response is the same for every invalid token.
 */
export async function introspectToken(
  db: Db,
  services: OAuthServices,
  request: ClientCredentials,
): Promise<Introspection> {
  const client = await authenticateClient(db, services, request);
  if (isPublicClient(client)) {
    throw new OAuthError(
      "invalid_client",
      "Introspection is for clients that authenticate with a secret or a key",
    );
  }
  const { form, now } = request;
  const text = findParameter(form, "token");
  if (text === undefined) throw new OAuthError("invalid_request", "Send the token");
  const found = await findPresentedToken(db, services, { text, clientId: client.clientId, now });
  return found === undefined ? INACTIVE : describe(found, services.issuer, now);
}

function describe({ kind, grant, token }: PresentedToken, issuer: string, now: Instant): Introspection {
  const common = { active: true, client_id: grant.client_id, sub: grant.account_id, iss: issuer } as const;
  if (kind === "access") {
    const { scope, issuedAt, expiresAt, tokenId, jkt, detail } = token;
    const times = { iat: issuedAt, exp: expiresAt };
    const binding = jkt === undefined
      ? { token_type: "Bearer" } as const
      : { token_type: "DPoP", cnf: { jkt } } as const;
    return {
      ...common,
      scope,
      ...times,
      ...binding,
      aud: audienceOf(issuer, grant.resource),
      jti: tokenId,
      ...listed(detail),
    };
  }
  const isNext = grant.refresh_id === token.id;
  if (!isNext || token.expires_at <= now) return INACTIVE;
  const times = { iat: numericDate(token.created_at), exp: numericDate(token.expires_at) };
  return { ...common, scope: grant.scope, ...times, ...listed(grantedDetail(grant)) };
}

function listed(
  detail: SigningDetail | undefined,
): { readonly authorization_details?: readonly SigningDetail[] } {
  return detail === undefined ? {} : { authorization_details: [detail] };
}

/**
 * Handles the revocation endpoint (RFC 7009 section 2). A refresh or access token of the client ends its whole grant.
 * A token that is unknown, expired or another client's changes nothing and is no error. Committed when it returns.
 * `db` must be the outer handle.
 */
export async function revokeToken(
  db: Db,
  services: OAuthServices,
  request: ClientCredentials,
): Promise<void> {
  const client = await authenticateClient(db, services, request);
  const { form, now } = request;
  const text = findParameter(form, "token");
  if (text === undefined) throw new OAuthError("invalid_request", "Send the token");
  const grant = await findPresentedGrant(db, services, { text, clientId: client.clientId, now });
  if (grant === undefined) return;
  await services.groupCommit.run((tx) => endGrant(tx, services, { grant, reason: "revoked", now }));
}
