import { ProtocolError } from "../../lib/error.ts";
import type { AskedRequest } from "../request-context.ts";
import { bringsToken } from "./guard.ts";
import type { UnsafeRule } from "./guard.ts";

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

function isForeign(headers: Headers, origin: string, rule: UnsafeRule): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site !== "same-origin" && site !== "none";
  const sender = headers.get("origin");
  if (sender !== null) return sender !== origin;
  // Every browser with passkeys sends one of the two: neither means curl or an SDK, which posts JSON, never our forms.
  return rule === "cross-site-form";
}

/**
 * The cross-site rule: an unsafe method behind a cookie guard comes from our own pages. `Sec-Fetch-Site` alone decides
 * where it is present, then `Origin`; a sub-domain counts as foreign. Throws `cross_site_request`.
 */
export function assertSameOrigin(request: AskedRequest, origin: string, rule: UnsafeRule): void {
  if (rule === "none" || SAFE_METHODS.has(request.method)) return;
  if (rule === "cross-site-json-or-token" && bringsToken(request)) return;
  if (isForeign(request.headers, origin, rule)) {
    throw new ProtocolError("cross_site_request", "Cannot serve request: it was sent by another site's page");
  }
}
