import type { ClientCredentials } from "../../../oauth/client/client-authentication.ts";
import { revokeToken } from "../../../oauth/token/introspection.ts";
import type { OAuthServices } from "../../../oauth/services.ts";
import type { Endpoint } from "../../route.ts";
import { counted } from "../../answer/rate-limit.ts";
import type { Services } from "../../services.ts";

/** The revocation endpoint (RFC 7009 section 2): 200 with nothing in it, also for a token that was nothing. */
export function createRevokeEndpoint(
  services: OAuthServices & Pick<Services, "db">,
): Endpoint<ClientCredentials> {
  return async (context, credentials) => {
    await revokeToken(services.db, counted(context, services), credentials);
    return new Response(null, { status: 200 });
  };
}
