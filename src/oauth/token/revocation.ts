import type { Db } from "../../db/schema.ts";
import { authenticateClient } from "../client/client-authentication.ts";
import type { ClientCredentials } from "../client/client-authentication.ts";
import { OAuthError } from "../error.ts";
import { endGrant } from "../grant.ts";
import { findParameter } from "../parameters.ts";
import { findPresentedGrant } from "./presented-token.ts";
import type { OAuthServices } from "../services.ts";

/**
 * The revocation endpoint (RFC 7009 section 2): a refresh token or an access token of the client ends its whole grant. A
 * token that is unknown, over or another client's changes nothing and is no error. Returning means committed. `db` must
 * be the outer handle.
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
