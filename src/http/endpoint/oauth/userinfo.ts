import type { SentToken } from "../../../oauth/dpop/resource-token.ts";
import type { OAuthServices } from "../../../oauth/services.ts";
import { answerUserInfo } from "../../../oauth/token/userinfo.ts";
import { giveNonce } from "../../answer/dpop.ts";
import type { UserInfo } from "../../answer/schema/oauth.ts";
import { json } from "../../answer/respond.ts";
import { counted } from "../../answer/rate-limit.ts";
import type { Endpoint } from "../../route.ts";
import type { Services } from "../../services.ts";

/** The userinfo endpoint (OpenID Connect Core section 5.3), for GET and POST alike. */
export function createUserInfoEndpoint(services: OAuthServices & Pick<Services, "db">): Endpoint<SentToken> {
  return async (context, sent) => {
    if (sent.scheme === "DPoP") giveNonce(context, services.vault);
    return json<typeof UserInfo>(
      200,
      await answerUserInfo(services.db, counted(context, services), { sent, now: context.now }),
    );
  };
}
