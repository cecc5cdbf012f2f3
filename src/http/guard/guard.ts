import { ProtocolError } from "../../lib/error.ts";
import type { IncomingRequest, RequestContext } from "../request-context.ts";
import type { Services } from "../services.ts";

/**
 * The cross-site rule of a guard for unsafe methods. Only guards that read a cookie need one. A guard without
 * credentials or with a bearer secret has nothing that another site's page could use. Nor has a request with a token,
 * if the guard then ignores cookies.
 */
export type UnsafeRule = "cross-site-json" | "cross-site-json-or-token" | "cross-site-form" | "none";

/** A check that admits requests, each as a principal. A route has exactly one. */
export interface Guard<P, S = Services> {
  /** The name in the golden list of routes. */
  readonly name: string;
  readonly unsafe: UnsafeRule;
  /**
   * Returns the principal, or the response to send instead (a page's 303 to /sign-in). Throws a `ProtocolError` if an
   * API refuses (`authentication_required`).
   */
  readonly check: (context: RequestContext, services: S) => Promise<P | Response>;
}

export const publicAccess: Guard<undefined, unknown> = {
  name: "public access",
  unsafe: "none",
  check: () => Promise.resolve(undefined),
};

/** Returns true if a request has a credential in its `Authorization` header. Guards then ignore its cookies. */
export function hasAuthorizationToken({ headers }: IncomingRequest): boolean {
  return /^(?:Bearer|DPoP)(?: |$)/i.test(headers.get("authorization") ?? "");
}

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

function isForeign(headers: Headers, origin: string, rule: UnsafeRule): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site !== "same-origin" && site !== "none";
  const sender = headers.get("origin");
  if (sender !== null) return sender !== origin;
  // Every browser with passkeys sends one of the two. Without both it is curl or an SDK, which posts JSON but never a
  // form.
  return rule === "cross-site-form";
}

/**
 * Throws `cross_site_request` unless an unsafe method behind a cookie guard comes from the service's own pages. Uses
 * `Sec-Fetch-Site` alone if present, else `Origin`. A sub-domain counts as another site.
 */
export function assertSameOrigin(request: IncomingRequest, origin: string, rule: UnsafeRule): void {
  if (rule === "none" || SAFE_METHODS.has(request.method)) return;
  if (rule === "cross-site-json-or-token" && hasAuthorizationToken(request)) return;
  if (isForeign(request.headers, origin, rule)) {
    throw new ProtocolError("cross_site_request", "Cannot serve request: it was sent by another site's page");
  }
}
