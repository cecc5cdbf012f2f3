import type { Db } from "../../db/schema/schema.ts";
import type { Instant } from "../../lib/time.ts";
import { findAccessToken, findIssuedAccessToken, type LiveAccessToken } from "./access-token.ts";
import { findGrant, findLiveGrant, type Grant } from "../grant.ts";
import { findRefreshToken, type RefreshToken } from "./refresh-token.ts";
import type { OAuthServices } from "../services.ts";

export type PresentedToken =
  | { readonly kind: "access"; readonly grant: Grant; readonly token: LiveAccessToken }
  /** May be used or expired while its grant is active. */
  | { readonly kind: "refresh"; readonly grant: Grant; readonly token: RefreshToken };

type Finder = Pick<OAuthServices, "authority" | "issuer">;

interface Presented {
  readonly text: string;
  readonly clientId: string;
  readonly now: Instant;
}

// Ignores `token_type_hint` (RFC 7009 section 2.1): the formats of the token types are disjoint.

/** Returns a token of this client. Returns undefined if not found or if the account is disabled. */
export async function findPresentedToken(
  db: Db,
  services: Finder,
  { text, clientId, now }: Presented,
): Promise<PresentedToken | undefined> {
  const found = await findAnyToken(db, services, text, now);
  return found?.grant.client_id === clientId ? found : undefined;
}

async function findAnyToken(
  db: Db,
  services: Finder,
  text: string,
  now: Instant,
): Promise<PresentedToken | undefined> {
  const found = await findRefreshToken(db, services.authority, { text, now });
  if (found !== undefined) {
    const { row: token, accountId } = found;
    const live = await findLiveGrant(db, services.authority, { id: token.grant_id, accountId, now });
    return live && { kind: "refresh", grant: live.grant, token };
  }
  const access = await findAccessToken(db, services, { token: text, now });
  return access && { kind: "access", grant: access.grant, token: access };
}

/** Like `findPresentedToken`, also for a disabled account, because enabling it makes the token valid again. */
export async function findPresentedGrant(
  db: Db,
  services: Finder,
  { text, clientId, now }: Presented,
): Promise<Grant | undefined> {
  const refresh = await findRefreshToken(db, services.authority, { text, now });
  const grant = refresh === undefined
    ? (await findIssuedAccessToken(db, services, { token: text, now }))?.grant
    : await findGrant(db, services.authority, {
      id: refresh.row.grant_id,
      accountId: refresh.accountId,
      now,
    });
  return grant?.client_id === clientId ? grant : undefined;
}
