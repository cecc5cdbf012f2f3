import type { AskedRequest, RequestContext } from "../request-context.ts";

/**
 * What an unsafe method behind a guard asks of the request's origin (the cross-site rule). The two rules are for guards
 * that read a cookie; a guard that reads none, or reads a bearer secret, has nothing a foreign page could ride on. Nor
 * has a request that brings a token, to a guard that then looks at no cookie.
 */
export type UnsafeRule = "cross-site-json" | "cross-site-json-or-token" | "cross-site-form" | "none";

/** Who may pass, and as whom. A route names exactly one. */
export interface Guard<P> {
  /** As it stands in the golden list of routes. */
  readonly name: string;
  readonly unsafe: UnsafeRule;
  /**
   * The principal; or the answer to give instead (a page's 303 to /sign-in). Throws a `ProtocolError` where an API
   * refuses (`authentication_required`).
   */
  check(context: RequestContext): Promise<P | Response>;
}

const nobody: Promise<undefined> = Promise.resolve(undefined);

/** Lets everybody in, as nobody. */
export const publicAccess: Guard<undefined> = { name: "public access", unsafe: "none", check: () => nobody };

/** Whether a request brings a credential in its `Authorization` header: then its cookies are not looked at. */
export function bringsToken({ headers }: AskedRequest): boolean {
  return /^(?:Bearer|DPoP)(?: |$)/i.test(headers.get("authorization") ?? "");
}
