import { findOwnRecovery } from "../../recovery/finish.ts";
import type { OwnRecovery } from "../../recovery/finish.ts";
import { readOurCookie } from "../cookie/cookies.ts";
import type { RequestContext } from "../request-context.ts";
import type { Services } from "../services.ts";
import type { Browser } from "./account-guards.ts";
import { unauthenticated } from "./account-guards.ts";
import type { Guard } from "./guard.ts";

/** A browser that began a recovery which is not over. */
export interface RecoverySession {
  readonly own: OwnRecovery;
  readonly browser: Browser;
}

type RecoveryReader = Pick<Services, "db" | "vault" | "authority" | "baseUrl">;

/** The recovery that the browser of a request began, unless it is over. */
export async function findRecoveryHere(
  context: RequestContext,
  { db, vault, authority, baseUrl }: RecoveryReader,
): Promise<OwnRecovery | undefined> {
  const token = readOurCookie(context, "recovery", baseUrl);
  return token === undefined
    ? undefined
    : await findOwnRecovery(db, { vault, authority }, { token, now: context.now });
}

/** The guard of what the browser that began a recovery does with it; 401 for every other one. */
export function createRecoveryGuard(
  services: RecoveryReader,
  browser: Guard<Browser>,
): Guard<RecoverySession> {
  return {
    name: "recovery session",
    unsafe: "cross-site-json",
    check: async (context) => {
      const known = await browser.check(context);
      if (known instanceof Response) return known;
      const own = await findRecoveryHere(context, services);
      if (own === undefined) throw unauthenticated();
      return { own, browser: known };
    },
  };
}
