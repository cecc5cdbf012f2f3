import type { Db } from "../../db/schema/schema.ts";
import type { Instant } from "../../lib/time.ts";
import { findAccessToken, findIssuedAccessToken } from "./access-token.ts";
import type { LiveAccessToken } from "./access-token.ts";
import { findGrant, findLiveGrant } from "../grant.ts";
import type { Grant } from "../grant.ts";
import { findRefreshToken } from "./refresh-token.ts";
import type { RefreshToken } from "./refresh-token.ts";
import type { OAuthServices } from "../services.ts";

/** A token of ours that a client asks about. */
export type PresentedToken =
  | { readonly kind: "access"; readonly grant: Grant; readonly token: LiveAccessToken }
  /** Also a spent or expired one, as long as its grant lives. */
  | { readonly kind: "refresh"; readonly grant: Grant; readonly token: RefreshToken };

type Finder = Pick<OAuthServices, "authority" | "issuer">;

interface Presented {
  readonly text: string;
  readonly clientId: string;
  readonly now: Instant;
}

// A hint only orders the search (RFC 7009 section 2.1), and ours needs no order, because no text looks like both.

/**
 * What a text is, whatever the hint said; undefined when it is nothing of this client's, and while the account whose it
 * is is disabled.
 */
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
  const token = await findRefreshToken(db, services.authority, text);
  if (token !== undefined) {
    const live = await findLiveGrant(db, services.authority, { id: token.grant_id, now });
    return live && { kind: "refresh", grant: live.grant, token };
  }
  const access = await findAccessToken(db, services, { token: text, now });
  return access && { kind: "access", grant: access.grant, token: access };
}

/**
 * Of what grant a text is a token, whatever the hint said; undefined when it is nothing of this client's. It can be ended
 * while the account is disabled, too: once that is enabled it would be worth something again.
 */
export async function findPresentedGrant(
  db: Db,
  services: Finder,
  { text, clientId, now }: Presented,
): Promise<Grant | undefined> {
  const refresh = await findRefreshToken(db, services.authority, text);
  const grant = refresh === undefined
    ? (await findIssuedAccessToken(db, services, { token: text, now }))?.grant
    : await findGrant(db, services.authority, { id: refresh.grant_id, now });
  return grant?.client_id === clientId ? grant : undefined;
}
