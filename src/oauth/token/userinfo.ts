import type { Db } from "../../db/schema/schema.ts";
import type { Instant } from "../../lib/time.ts";
import { challengeOf, commitTokenProof, type SentToken, verifyTokenProof } from "../dpop/resource-token.ts";
import { OAuthError } from "../error.ts";
import { includesScope } from "../scope.ts";
import type { OAuthServices } from "../services.ts";
import { findAccessToken } from "./access-token.ts";
import { type UserClaims, userClaims } from "./user-claims.ts";

/**
 * Handles the userinfo endpoint (OpenID Connect Core section 5.3). Throws `invalid_token` for an invalid token or a
 * wrong scheme. Throws `insufficient_scope` without `openid`.
 */
export async function readUserInfo(
  db: Db,
  services: Pick<
    OAuthServices,
    "vault" | "authority" | "issuer" | "groupCommit" | "limits" | "importVerifier"
  >,
  { sent, now }: { sent: SentToken; now: Instant },
): Promise<UserClaims> {
  const { use, scheme } = sent;
  const live = await findAccessToken(db, services, { token: sent.text, resource: use.path, now });
  if (live === undefined) {
    const description = "The access token is wrong, expired or revoked";
    throw new OAuthError("invalid_token", description, {
      challenge: challengeOf(scheme, use, { error: "invalid_token", description }),
    });
  }
  const { jkt, account } = live;
  const proof = verifyTokenProof(services, sent, { jkt, now });
  await commitTokenProof(services, { proof, use, accountId: account.id, holder: live.grant.id, now });
  if (!includesScope(live.scope, "openid")) {
    const description = "The access token was not granted openid";
    const scope = `${live.scope} openid`.trim();
    throw new OAuthError("insufficient_scope", description, {
      challenge: challengeOf(scheme, { ...use, scope }, { error: "insufficient_scope", description }),
    });
  }
  const { grant, client, scope } = live;
  return await userClaims(db, services, { account, client, grant, scope, place: "userinfo" });
}
