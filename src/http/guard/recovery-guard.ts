import { findOwnRecovery, type OwnRecovery } from "../../recovery/finish.ts";
import { readServiceCookie } from "../cookie/cookies.ts";
import type { RequestContext } from "../request-context.ts";
import type { Services } from "../services.ts";
import { type Browser, browser, unauthenticated } from "./account-guards.ts";
import type { Guard } from "./guard.ts";

export interface RecoverySession {
  readonly own: OwnRecovery;
  readonly browser: Browser;
}

export async function findRecoveryHere(
  context: RequestContext,
  { db, vault, authority, baseUrl }: Services,
): Promise<OwnRecovery | undefined> {
  const token = readServiceCookie(context, "recovery", baseUrl);
  return token === undefined
    ? undefined
    : await findOwnRecovery(db, { vault, authority }, { token, now: context.now });
}

/** Admits the browser that began a recovery. Throws `authentication_required`. */
export const recoverySession: Guard<RecoverySession> = {
  name: "recovery session",
  unsafe: "cross-site-json",
  check: async (context, services) => {
    const known = await browser.check(context, services);
    if (known instanceof Response) return known;
    const own = await findRecoveryHere(context, services);
    if (own === undefined) throw unauthenticated();
    return { own, browser: known };
  },
};
