import type { SignedIn } from "../../accounts/session/session.ts";
import { listApiTokens, TOKEN_KEY_LIMIT } from "../../accounts/token/api-token.ts";
import { listKeys } from "../../keys/key.ts";
import { toIso } from "../../lib/time.ts";
import { developerPage } from "../../ui/page/developer-page.ts";
import { toAccountView } from "../answer/account-view.ts";
import { toKeyJson } from "../answer/key-json.ts";
import { htmlPage } from "../answer/respond.ts";
import { toTokenJson } from "../answer/token-json.ts";
import type { Endpoint } from "../route.ts";
import type { Services } from "../services.ts";

/** Makes the page on which people keep the tokens of their programs. */
export function createDeveloperPageEndpoint(
  services: Pick<Services, "db" | "authority" | "baseUrl" | "tee">,
): Endpoint<SignedIn> {
  const { db, authority, baseUrl } = services;
  return async (context, { account }) => {
    const { now } = context;
    const which = {
      accountId: account.id,
      archived: "exclude",
      fromIndex: 0,
      limit: TOKEN_KEY_LIMIT,
    } as const;
    const { keys } = await listKeys(db, authority, which);
    const tokens = await listApiTokens(db, authority, account.id);
    return htmlPage(
      200,
      developerPage({
        account: toAccountView(account, services, context),
        tokens: tokens.map((token) => toTokenJson(token, account.language)),
        keys: keys.map(toKeyJson),
        now: toIso(now),
        baseUrl,
      }),
    );
  };
}
