import { newId, type RandomBytes } from "../../lib/id.ts";
import { type Instant, MINUTE } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import type { OAuthServices } from "../services.ts";
import { numericDate } from "./access-token.ts";
import type { SigningKey } from "./signing-key.ts";

/** The maximum lifetime that section 2.4 recommends. */
export const LOGOUT_TOKEN_LIFETIME = 2 * MINUTE;

/** The event that identifies a logout token. */
const EVENT = "http://schemas.openid.net/event/backchannel-logout";

/**
 * Issues a logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4), a new one for each attempt. A client
 * that stores each `jti` therefore accepts a retry after a lost response. `toe` (RFC 8417 section 2.2) is the time of
 * the logout. Without `nonce`, so that it cannot pass as an ID token.
 */
export async function issueLogoutToken(
  services: Pick<OAuthServices, "vault" | "issuer">,
  { notice, key, now, random }: {
    notice: Authentic<"logout_notice">;
    key: SigningKey;
    now: Instant;
    random: RandomBytes;
  },
): Promise<string> {
  return await services.vault.signJwt(key, "logout+jwt", {
    iss: services.issuer,
    sub: notice.subject,
    aud: notice.client_id,
    iat: numericDate(now),
    exp: numericDate(now + LOGOUT_TOKEN_LIFETIME),
    jti: newId("jti", random),
    toe: numericDate(notice.created_at),
    events: { [EVENT]: {} },
    ...(notice.sid === null ? {} : { sid: notice.sid }),
  });
}
