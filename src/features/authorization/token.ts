import { giveNonce } from "../../http/guard/oauth-guards.ts";
import { readSentProof } from "../../http/request/authorization-header.ts";
import { counted } from "../../http/response/rate-limit.ts";
import { json } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import type { ClientCredentials } from "../../oauth/client/client-authentication.ts";
import type { SentToken } from "../../oauth/dpop/resource-token.ts";
import type { OAuthServices } from "../../oauth/services.ts";
import { introspectToken, revokeToken } from "../../oauth/token/introspection.ts";
import { answerTokenRequest } from "../../oauth/token/token.ts";
import { answerUserInfo } from "../../oauth/token/userinfo.ts";
import type { Introspection, TokenResponse, UserInfo } from "./schema.ts";

/** The token endpoint (RFC 6749 sections 3.2 and 5). */
export function createTokenEndpoint(
  services: OAuthServices & Pick<Services, "db" | "random">,
): LegacyEndpoint<ClientCredentials> {
  const { db, vault, random } = services;
  return async (context, credentials) => {
    const sentProof = readSentProof(context);
    if (sentProof.header !== null) giveNonce(context, vault);
    const tokens = await answerTokenRequest(db, counted(context, services), {
      ...credentials,
      sentProof,
      random,
    });
    // RFC 6749 section 5.1 asks for both headers; the boundary sets Cache-Control.
    return json<typeof TokenResponse>(200, tokens, [["pragma", "no-cache"]]);
  };
}

/** The introspection endpoint (RFC 7662 section 2). */
export function createIntrospectEndpoint(
  services: OAuthServices & Pick<Services, "db">,
): LegacyEndpoint<ClientCredentials> {
  return async (context, credentials) =>
    json<typeof Introspection>(
      200,
      await introspectToken(services.db, counted(context, services), credentials),
    );
}

/** The revocation endpoint (RFC 7009 section 2): 200 with nothing in it, also for a token that was nothing. */
export function createRevokeEndpoint(
  services: OAuthServices & Pick<Services, "db">,
): LegacyEndpoint<ClientCredentials> {
  return async (context, credentials) => {
    await revokeToken(services.db, counted(context, services), credentials);
    return new Response(null, { status: 200 });
  };
}

/** The userinfo endpoint (OpenID Connect Core section 5.3), for GET and POST alike. */
export function createUserInfoEndpoint(
  services: OAuthServices & Pick<Services, "db">,
): LegacyEndpoint<SentToken> {
  return async (context, sent) => {
    if (sent.scheme === "DPoP") giveNonce(context, services.vault);
    return json<typeof UserInfo>(
      200,
      await answerUserInfo(services.db, counted(context, services), { sent, now: context.now }),
    );
  };
}
