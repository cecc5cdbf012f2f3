import type { ClientCredentials } from "../../../oauth/client/client-authentication.ts";
import type { OAuthServices } from "../../../oauth/services.ts";
import { answerTokenRequest } from "../../../oauth/token/token.ts";
import { giveNonce } from "../../answer/dpop.ts";
import type { TokenResponse } from "../../answer/schema/oauth.ts";
import { json } from "../../answer/respond.ts";
import { counted } from "../../answer/rate-limit.ts";
import { readSentProof } from "../../request/sent-token.ts";
import type { Endpoint } from "../../route.ts";
import type { Services } from "../../services.ts";

/** The token endpoint (RFC 6749 sections 3.2 and 5). */
export function createTokenEndpoint(
  services: OAuthServices & Pick<Services, "db" | "random">,
): Endpoint<ClientCredentials> {
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
