import { sha256 } from "@noble/hashes/sha2.js";
import { constantTimeEqual, utf8 } from "../../lib/bytes.ts";
import { ProtocolError } from "../../lib/error.ts";
import { networkOf } from "../../lib/ip-address.ts";
import type { RequestContext } from "../request-context.ts";
import { counted } from "../response/rate-limit.ts";
import type { Services } from "../services.ts";
import type { Guard } from "./guard.ts";

/** Whoever holds the admin key. There is nothing more to know of them. */
export type Admin = "admin";

/** Counts a failure for the network it comes from. Throws `rate_limited`. */
async function countFailure(context: RequestContext, services: Services): Promise<void> {
  const { clientAddress, now } = context;
  const { limits } = counted(context, services);
  await services.groupCommit.run((tx) =>
    limits.take(tx, "admin_authentication", networkOf(clientAddress), now)
  );
}

/** Whether this is the admin key, compared by its hash in constant time; a wrong one is counted. Throws `rate_limited`. */
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
 * The guard of the admin API (RFC 6750 section 2.1): `Authorization: Bearer` with the admin key, compared by its hash in
 * constant time. Failures are limited for each network; the right key always passes.
 */
export const admin: Guard<Admin> = { name: "admin", unsafe: "none", check };

/** Whose the administrator's Idempotency-Keys are. */
export const ADMINISTRATOR = "admin";
