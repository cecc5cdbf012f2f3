import type { ClientCredentials } from "../../../oauth/client/client-authentication.ts";
import { introspectToken } from "../../../oauth/token/introspection.ts";
import type { OAuthServices } from "../../../oauth/services.ts";
import type { Introspection } from "../../answer/schema/oauth.ts";
import { json } from "../../answer/respond.ts";
import { counted } from "../../answer/rate-limit.ts";
import type { Endpoint } from "../../route.ts";
import type { Services } from "../../services.ts";

/** The introspection endpoint (RFC 7662 section 2). */
export function createIntrospectEndpoint(
  services: OAuthServices & Pick<Services, "db">,
): Endpoint<ClientCredentials> {
  return async (context, credentials) =>
    json<typeof Introspection>(
      200,
      await introspectToken(services.db, counted(context, services), credentials),
    );
}
