import { ProtocolError } from "../../lib/error.ts";
import type { AskedRequest, RequestContext } from "../request-context.ts";
import type { Services } from "../services.ts";

/**
 * What an unsafe method behind a guard asks of the request's origin (the cross-site rule). The two rules are for guards
 * that read a cookie; a guard that reads none, or reads a bearer secret, has nothing a foreign page could ride on. Nor
 * has a request that brings a token, to a guard that then looks at no cookie.
 */
export type UnsafeRule = "cross-site-json" | "cross-site-json-or-token" | "cross-site-form" | "none";

/** Admits requests, each as a principal. A route names exactly one. */
export interface Guard<P, S = Services> {
  /** As it stands in the golden list of routes. */
  readonly name: string;
  readonly unsafe: UnsafeRule;
  /**
   * Returns the principal, or the answer to give instead (a page's 303 to /sign-in). Throws a `ProtocolError` where an
   * API refuses (`authentication_required`).
   */
  readonly check: (context: RequestContext, services: S) => Promise<P | Response>;
}

/** Admits every request, without a principal. */
export const publicAccess: Guard<undefined, unknown> = {
  name: "public access",
  unsafe: "none",
  check: () => Promise.resolve(undefined),
};

/** Whether a request brings a credential in its `Authorization` header: then its cookies are not looked at. */
export function bringsToken({ headers }: AskedRequest): boolean {
  return /^(?:Bearer|DPoP)(?: |$)/i.test(headers.get("authorization") ?? "");
}

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
