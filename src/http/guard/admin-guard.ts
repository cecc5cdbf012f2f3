import { sha256 } from "@noble/hashes/sha2.js";
import { constantTimeEqual, utf8 } from "../../lib/bytes.ts";
import { ProtocolError } from "../../lib/error.ts";
import { networkOf } from "../../limits/network.ts";
import type { Guard } from "./guard.ts";
import type { RequestContext } from "../request-context.ts";
import { counted } from "../answer/rate-limit.ts";
import type { Services } from "../services.ts";

/** Whoever holds the admin key. There is nothing more to know of them. */
export type Admin = "admin";

/**
 * The guard of the admin API (RFC 6750 section 2.1): `Authorization: Bearer` with the admin key, compared by its hash in
 * constant time. Failures are limited for each network; the right key always passes.
 */
export function createAdminGuard(
  services: Pick<Services, "groupCommit" | "limits" | "adminKeyHash">,
): Guard<Admin> {
  const { groupCommit, adminKeyHash } = services;
  async function check(context: RequestContext): Promise<Admin> {
    const { request, clientAddress, now } = context;
    const presented = /^Bearer ([!-~]+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    if (presented !== undefined && constantTimeEqual(sha256(utf8(presented)), adminKeyHash)) return "admin";
    const { limits } = counted(context, services);
    await groupCommit.run((tx) => limits.take(tx, "admin_authentication", networkOf(clientAddress), now));
    throw new ProtocolError(
      "authentication_required",
      "Cannot authenticate: the admin key is missing or wrong",
      {
        headers: { "WWW-Authenticate": 'Bearer realm="admin"' },
      },
    );
  }
  return { name: "admin", unsafe: "none", check };
}
