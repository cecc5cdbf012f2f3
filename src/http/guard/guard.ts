import type { RequestContext } from "../request-context.ts";

/**
 * What an unsafe method behind a guard asks of the request's origin (the cross-site rule). The two rules are for guards
 * that read a cookie; a guard that reads none, or reads a bearer secret, has nothing a foreign page could ride on.
 */
export type UnsafeRule = "cross-site-json" | "cross-site-form" | "none";

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
export const publicAccess: Guard<undefined> = { name: "public", unsafe: "none", check: () => nobody };
