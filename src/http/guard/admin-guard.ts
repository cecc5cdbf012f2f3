import { sha256 } from "@noble/hashes/sha2.js";
import { constantTimeEqual, utf8 } from "../../lib/bytes.ts";
import { ProtocolError } from "../../lib/error.ts";
import { networkOf } from "../../lib/ip-address.ts";
import type { RequestContext } from "../request-context.ts";
import { withRateLimitHeaders } from "../response/rate-limit.ts";
import type { Services } from "../services.ts";
import type { Guard } from "./guard.ts";

export type Admin = "admin";

/** Counts a failure of the client's network. Throws `rate_limited`. */
async function countFailure(context: RequestContext, services: Services): Promise<void> {
  const { clientAddress, now } = context;
  const { limits } = withRateLimitHeaders(context, services);
  await services.groupCommit.run((tx) =>
    limits.take(tx, "admin_authentication", networkOf(clientAddress), now)
  );
}

/** Returns true for the admin key, comparing hashes in constant time. Counts a wrong key. Throws `rate_limited`. */
export async function isAdminKey(
  context: RequestContext,
  services: Services,
  presented: string,
): Promise<boolean> {
  if (constantTimeEqual(sha256(utf8(presented)), services.adminKeyHash)) return true;
  await countFailure(context, services);
  return false;
}

async function check(context: RequestContext, services: Services): Promise<Admin> {
  const { request } = context;
  const presented = /^Bearer ([!-~]+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
  if (presented !== undefined && await isAdminKey(context, services, presented)) return "admin";
  if (presented === undefined) await countFailure(context, services);
  throw new ProtocolError(
    "authentication_required",
    "Cannot authenticate: the admin key is missing or wrong",
    {
      headers: { "WWW-Authenticate": 'Bearer realm="admin"' },
    },
  );
}

/**
 * Admits the admin API's caller: `Authorization: Bearer` with the admin key (RFC 6750 section 2.1). Failures are rate
 * limited by network; the right key always passes.
 */
export const admin: Guard<Admin> = { name: "admin", unsafe: "none", check };

export const ADMINISTRATOR = "admin";
