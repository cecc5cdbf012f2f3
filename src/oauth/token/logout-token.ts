import { newId } from "../../lib/id.ts";
import type { RandomBytes } from "../../lib/id.ts";
import { MINUTE } from "../../lib/time.ts";
import type { Instant } from "../../lib/time.ts";
import type { Authentic } from "../../store/authentic.ts";
import type { OAuthServices } from "../services.ts";
import { numericDate } from "./access-token.ts";
import type { SigningKey } from "./signing-key.ts";

/** How long a logout token lives: as long as section 2.4 recommends at the most. */
export const LOGOUT_TOKEN_LIFETIME = 2 * MINUTE;

/** What says that a token is one of these, and a promise that its object may hold more. */
const EVENT = "http://schemas.openid.net/event/backchannel-logout";

/**
 * A logout token (OpenID Connect Back-Channel Logout 1.0 section 2.4) by the given key, made anew for each try: a client
 * that keeps the `jti` of those it has seen does not refuse the word whose answer was lost. `toe` (RFC 8417 section 2.2)
 * is when it happened, for a client that hears of it late. No `nonce`: nobody can take it for an ID token.
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
