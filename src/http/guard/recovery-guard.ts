import { findOwnRecovery } from "../../recovery/finish.ts";
import type { OwnRecovery } from "../../recovery/finish.ts";
import { readOurCookie } from "../cookie/cookies.ts";
import type { Services } from "../services.ts";
import type { Browser } from "./account-guards.ts";
import { unauthenticated } from "./account-guards.ts";
import type { Guard } from "./guard.ts";

/** A browser that began a recovery which is not over. */
export interface Recoverer {
  readonly own: OwnRecovery;
  readonly browser: Browser;
}

/** The guard of what the browser that began a recovery does with it; 401 for every other one. */
export function createRecoveryGuard(
  { db, vault, authority, baseUrl }: Pick<Services, "db" | "vault" | "authority" | "baseUrl">,
  browser: Guard<Browser>,
): Guard<Recoverer> {
  return {
    name: "recoverer",
    unsafe: "cross-site-json",
    check: async (context) => {
      const known = await browser.check(context);
      if (known instanceof Response) return known;
      const token = readOurCookie(context, "recovery", baseUrl);
      const own = token === undefined
        ? undefined
        : await findOwnRecovery(db, { vault, authority }, { token, now: context.now });
      if (own === undefined) throw unauthenticated();
      return { own, browser: known };
    },
  };
}
