import type { Db } from "../../db/schema.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { authenticateClient } from "../client/client-authentication.ts";
import type { ClientCredentials } from "../client/client-authentication.ts";
import { OAuthError } from "../error.ts";
import { findParameter } from "../parameters.ts";
import { redeemCode } from "./redeem-code.ts";
import { refresh } from "./refresh.ts";
import type { OAuthServices } from "../services.ts";
import type { TokenGrant } from "./token-grant.ts";
import type { TokenResponse } from "./token-response.ts";

/** What each `grant_type` does. */
const GRANTS: Readonly<Record<string, TokenGrant>> = {
  authorization_code: redeemCode,
  refresh_token: refresh,
};

/** Every `grant_type` there is. */
export const GRANT_TYPES: readonly string[] = Object.keys(GRANTS);

/**
 * The token endpoint (RFC 6749 section 3.2): which grant, which client, then the grant's own checks. Throws an OAuthError,
 * or `rate_limited`. Whatever was used up or ended by the request is committed before a refusal is thrown. `db` must be
 * the outer handle.
 */
export async function answerTokenRequest(
  db: Db,
  services: OAuthServices,
  request: ClientCredentials & { readonly random: RandomBytes },
): Promise<TokenResponse> {
  const { form, network, now, random } = request;
  const grantType = findParameter(form, "grant_type");
  if (grantType === undefined) {
    throw new OAuthError("invalid_request", "Send grant_type in a form-encoded body");
  }
  const answer = Object.hasOwn(GRANTS, grantType) ? GRANTS[grantType] : undefined;
  if (answer === undefined) {
    throw new OAuthError("unsupported_grant_type", `Send a grant_type of ${GRANT_TYPES.join(" or ")}`);
  }
  const client = await authenticateClient(db, services, request);
  // Counted in the transaction of what it admits, so that the usual request has one commit.
  const admit = (tx: Db): Promise<void> =>
    services.limits.take(tx, "token_request", `${network} ${client.clientId}`, now);
  try {
    return await answer(db, services, { client, form, admit, now, random });
  } catch (error) {
    if (error instanceof OAuthError) await services.groupCommit.run(admit);
    throw error;
  }
}
