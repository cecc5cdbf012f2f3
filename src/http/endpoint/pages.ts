import type { SignedIn } from "../../accounts/session/session.ts";
import { getKey, listKeys } from "../../keys/key.ts";
import { ProtocolError } from "../../lib/error.ts";
import { assets } from "../../ui/assets.ts";
import { homePage } from "../../ui/page/home-page.ts";
import { keyPage } from "../../ui/page/key-page.ts";
import { keysPage } from "../../ui/page/keys-page.ts";
import { signedOutPage } from "../../ui/page/signed-out-page.ts";
import { toAccountView } from "../answer/account-view.ts";
import { toKeyJson } from "../answer/key-json.ts";
import { readPageQuery } from "../request/query.ts";
import { htmlPage, redirect } from "../answer/respond.ts";
import type { Endpoint } from "../route.ts";
import type { Services } from "../services.ts";
import { createCeremonyPages } from "./ceremony-pages.ts";
import { encodeCursor } from "../request/paging.ts";
import { ListQuery, ownKeyOf, readFromIndex } from "./keys.ts";

/** The endpoints that answer a browser's navigation, and what pages load. */
export interface PageEndpoints {
  readonly home: Endpoint<SignedIn | undefined>;
  readonly signUp: Endpoint<SignedIn | undefined>;
  readonly signIn: Endpoint<SignedIn | undefined>;
  readonly signedOut: Endpoint<SignedIn | undefined>;
  readonly keys: Endpoint<SignedIn>;
  readonly key: Endpoint<SignedIn>;
  readonly asset: Endpoint<undefined>;
}

type PageServices = Pick<
  Services,
  "db" | "vault" | "authority" | "identityProviders" | "baseUrl" | "mailDelivery"
>;

/** A path names its content by a hash, so whoever has it need not ask again. */
const FOR_EVER = "public, max-age=31536000, immutable";

const assetsByPath = new Map(assets.map((asset) => [asset.path, asset]));

const asset: Endpoint<undefined> = ({ url }) => {
  const found = assetsByPath.get(url.pathname);
  if (found === undefined) throw new ProtocolError("not_found", "There is no such file");
  const headers = { "content-type": found.type, "cache-control": FOR_EVER };
  return Promise.resolve(new Response(found.body, { headers }));
};

/** A page for people who are not signed in: everybody else has keys to look at. */
function visitorPage(page: () => Response): Endpoint<SignedIn | undefined> {
  return (_context, signedIn) => Promise.resolve(signedIn === undefined ? page() : redirect("/keys"));
}

/** Makes the page endpoints over the given services. */
export function createPageEndpoints(services: PageServices): PageEndpoints {
  const { db, authority } = services;
  const { signIn, signUp } = createCeremonyPages(services);

  const keys: Endpoint<SignedIn> = async (context, { account }) => {
    const { archived: choice, limit, cursor } = readPageQuery(context, ListQuery);
    const archived = choice === "true" ? "include" : "exclude";
    const page = { accountId: account.id, archived, fromIndex: readFromIndex(cursor), limit } as const;
    const { keys, nextIndex } = await listKeys(db, authority, page);
    const next = new URLSearchParams({ archived: choice, limit: String(limit) });
    if (nextIndex !== undefined) next.set("cursor", encodeCursor(String(nextIndex)));
    return htmlPage(
      200,
      keysPage({
        account: toAccountView(account),
        keys: keys.map(toKeyJson),
        archived,
        ...(nextIndex === undefined ? {} : { nextPath: `/keys?${next}` }),
      }),
    );
  };

  const key: Endpoint<SignedIn> = async (context, signedIn) => {
    const key = toKeyJson(await getKey(db, services, ownKeyOf(context, signedIn)));
    return htmlPage(200, keyPage({ account: toAccountView(signedIn.account), key }));
  };

  return {
    home: visitorPage(() => htmlPage(200, homePage())),
    signUp,
    signIn,
    signedOut: visitorPage(() => htmlPage(200, signedOutPage())),
    keys,
    key,
    asset,
  };
}
