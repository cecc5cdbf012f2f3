import { appendAudit } from "../../audit/log.ts";
import type { Db } from "../../db/schema.ts";
import type { Instant } from "../../lib/time.ts";
import { beginGrant, extendGrant } from "../grant.ts";
import type { Grant } from "../grant.ts";
import type { OpaqueToken } from "./opaque-token.ts";
import { insertRefreshToken, refreshTokenEnd } from "./refresh-token.ts";
import type { OAuthServices } from "../services.ts";

/**
 * Lets a grant live as long as the refresh token that it gets now, bound to the key of this thumbprint, and records it,
 * in the transaction that took its code or the token before (`parentId`).
 */
export async function prolongGrant(
  tx: Db,
  { vault, authority }: Pick<OAuthServices, "vault" | "authority">,
  { event, grant, token, parentId, jkt, now }: {
    event: "code_redeemed" | "grant_refreshed";
    grant: Grant;
    token: OpaqueToken;
    parentId: string | null;
    jkt: string | null;
    now: Instant;
  },
): Promise<void> {
  const expiresAt = refreshTokenEnd(grant, now);
  if (event === "code_redeemed") await beginGrant(tx, { vault, authority }, { grant, jkt, expiresAt, now });
  else await extendGrant(tx, authority, { grant, jkt, expiresAt });
  await insertRefreshToken(tx, authority, { token, grant, parentId, now });
  await appendAudit(tx, vault, now, {
    event,
    accountId: grant.account_id,
    subject: grant.id,
    detail: { clientId: grant.client_id },
  });
}
