import { publicJwks } from "../../../oauth/token/signing-key.ts";
import type { OAuthServices } from "../../../oauth/services.ts";
import type { KeySet } from "../../answer/schema/oauth.ts";
import { json } from "../../answer/respond.ts";
import type { Endpoint } from "../../route.ts";
import type { Services } from "../../services.ts";

/** Much shorter than keys are published ahead of their first use (`KEY_PUBLISHED_AHEAD`). */
const CACHED = [["cache-control", "public, max-age=900"]] as const;

/** The key set (RFC 7517 section 5): public members only. */
export function createJwksEndpoint(services: OAuthServices & Pick<Services, "db">): Endpoint<undefined> {
  return async ({ now }) => json<typeof KeySet>(200, await publicJwks(services.db, services, now), CACHED);
}
