import type { Db } from "../../db/schema.ts";
import type { Instant } from "../../lib/time.ts";
import { findAccessToken } from "./access-token.ts";
import type { LiveAccessToken } from "./access-token.ts";
import { findGrant } from "../grant.ts";
import type { Grant } from "../grant.ts";
import { findRefreshToken } from "./refresh-token.ts";
import type { RefreshToken } from "./refresh-token.ts";
import type { OAuthServices } from "../services.ts";

/** A token of ours that a client asks about or wants ended. */
export type PresentedToken =
  | { readonly kind: "access"; readonly grant: Grant; readonly token: LiveAccessToken }
  /** Also a spent or expired one, as long as its grant lives. */
  | { readonly kind: "refresh"; readonly grant: Grant; readonly token: RefreshToken };

/**
 * What a text is, whatever the hint said (RFC 7009 section 2.1: a hint only orders the search, and ours needs no order,
 * because no text looks like both); undefined when it is nothing of this client's.
 */
export async function findPresentedToken(
  db: Db,
  services: Pick<OAuthServices, "authority" | "issuer">,
  { text, clientId, now }: { text: string; clientId: string; now: Instant },
): Promise<PresentedToken | undefined> {
  const found = await findAnyToken(db, services, { text, now });
  return found?.grant.client_id === clientId ? found : undefined;
}

async function findAnyToken(
  db: Db,
  services: Pick<OAuthServices, "authority" | "issuer">,
  { text, now }: { text: string; now: Instant },
): Promise<PresentedToken | undefined> {
  const refresh = await findRefreshToken(db, services.authority, text);
  if (refresh !== undefined) {
    const grant = await findGrant(db, services.authority, { id: refresh.grant_id, now });
    return grant === undefined ? undefined : { kind: "refresh", grant, token: refresh };
  }
  const access = await findAccessToken(db, services, { token: text, now });
  return access === undefined ? undefined : { kind: "access", grant: access.grant, token: access };
}
