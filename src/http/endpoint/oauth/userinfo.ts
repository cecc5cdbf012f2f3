import type { OAuthServices } from "../../../oauth/services.ts";
import { answerUserInfo } from "../../../oauth/token/userinfo.ts";
import type { UserInfo } from "../../answer/schema/oauth.ts";
import { json } from "../../answer/respond.ts";
import type { Endpoint } from "../../route.ts";
import type { Services } from "../../services.ts";

/** The userinfo endpoint (OpenID Connect Core section 5.3), for GET and POST alike. */
export function createUserInfoEndpoint(services: OAuthServices & Pick<Services, "db">): Endpoint<string> {
  return async ({ now }, accessToken) =>
    json<typeof UserInfo>(200, await answerUserInfo(services.db, services, { accessToken, now }));
}
