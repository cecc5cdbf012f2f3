import type { Db } from "../../db/schema.ts";
import type { Instant } from "../../lib/time.ts";
import { findAccessToken } from "./access-token.ts";
import { proveToken, spendTokenProofAlone } from "../dpop/sent-token.ts";
import type { SentToken } from "../dpop/sent-token.ts";
import { OAuthError } from "../error.ts";
import { includesScope } from "../scope.ts";
import type { OAuthServices } from "../services.ts";
import { userClaims } from "./user-claims.ts";
import type { UserClaims } from "./user-claims.ts";

/**
 * The userinfo endpoint (OpenID Connect Core section 5.3): what is known of the person now. Throws `invalid_token` for
 * whatever is no live access token of ours or came as its kind must not, `insufficient_scope` for one without `openid`.
 */
export async function answerUserInfo(
  db: Db,
  services: Pick<
    OAuthServices,
    "vault" | "authority" | "issuer" | "groupCommit" | "limits" | "importVerifier"
  >,
  { sent, now }: { sent: SentToken; now: Instant },
): Promise<UserClaims> {
  const live = await findAccessToken(db, services, { token: sent.text, now });
  if (live === undefined) {
    throw new OAuthError("invalid_token", "The access token is wrong, expired or revoked");
  }
  const { jkt, account } = live;
  const proof = proveToken(services, sent, { jkt, now });
  await spendTokenProofAlone(services, { proof, accountId: account.id, now });
  if (!includesScope(live.scope, "openid")) {
    throw new OAuthError("insufficient_scope", "The access token was not granted openid");
  }
  return userClaims(account);
}
