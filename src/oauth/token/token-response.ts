import type { Account } from "../../accounts/account.ts";
import type { Db } from "../../db/schema.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { SECOND } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import { accessTokenEnd, issueAccessToken } from "./access-token.ts";
import type { SigningDetail } from "../authorization-details.ts";
import type { Client } from "../client/client.ts";
import type { Grant } from "../grant.ts";
import { issueIdToken } from "./id-token.ts";
import type { OAuthServices } from "../services.ts";
import { getSigningKey } from "./signing-key.ts";
import type { TokenRights } from "./token-rights.ts";

/** What our own access tokens are signed with, whatever a client asks for its ID tokens. */
const ACCESS_TOKEN_ALGORITHM = "ES256";

/** RFC 6749 section 5.1 and OpenID Connect Core section 3.1.3.3. */
export interface TokenResponse {
  readonly access_token: string;
  /** `DPoP` for an access token that is bound to a key (RFC 9449 section 5). */
  readonly token_type: "Bearer" | "DPoP";
  readonly expires_in: number;
  readonly id_token: string;
  readonly scope: string;
  readonly refresh_token: string;
  /** RFC 9396 section 7: what may be signed, as it was granted. */
  readonly authorization_details?: readonly SigningDetail[];
}

/** Signs the tokens of a response. They count once the grant's row says so: nothing is written. */
export async function signTokens(
  db: Db,
  services: OAuthServices,
  { grant, rights, client, account, nonce, jkt, refreshToken, now, random }: {
    grant: Grant;
    rights: TokenRights;
    client: Client;
    account: Account;
    nonce: string | undefined;
    /** The thumbprint of the key that the access token is bound to. */
    jkt: string | undefined;
    refreshToken: string;
    now: Instant;
    random: RandomBytes;
  },
): Promise<TokenResponse> {
  const { idTokenSignedResponseAlg: algorithm } = client;
  const key = await getSigningKey(db, services, { algorithm: ACCESS_TOKEN_ALGORITHM, now });
  const idTokenKey = algorithm === ACCESS_TOKEN_ALGORITHM
    ? key
    : await getSigningKey(db, services, { algorithm, now });
  const accessToken = await issueAccessToken(services, { grant, rights, key, jkt, now, random });
  const subject = { grant, key: idTokenKey, client, account, nonce, accessToken, now };
  const idToken = await issueIdToken(services, subject);
  return {
    access_token: accessToken,
    token_type: jkt === undefined ? "Bearer" : "DPoP",
    expires_in: Math.floor((accessTokenEnd(grant, now) - now) / SECOND),
    id_token: idToken,
    scope: rights.scope,
    refresh_token: refreshToken,
    ...(rights.detail === undefined ? {} : { authorization_details: [rights.detail] }),
  };
}
