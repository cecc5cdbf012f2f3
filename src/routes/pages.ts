import type { SignedIn } from "../accounts/session/session.ts";
import { ProtocolError } from "../lib/error.ts";
import { createAssetFinder } from "../ui/assets.ts";
import { homePage, signedOutPage } from "../features/sign-in/visitor-pages.ts";
import { SCRIPTS } from "./scripts.ts";
import { toFrame } from "../http/frame-view.ts";
import { createCompressor } from "../http/response/compression.ts";
import { htmlPage, redirect } from "../http/response/respond.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { Endpoint } from "../http/route.ts";
import type { Services } from "../http/services.ts";
import { createCeremonyPages } from "../features/sign-in/pages.ts";
import { createKeyPages } from "../features/keys/pages.ts";
import type { KeyPages } from "../features/keys/pages.ts";

/** The endpoints that answer a browser's navigation, and what pages load. */
export interface PageEndpoints extends KeyPages {
  readonly home: Endpoint<SignedIn | undefined>;
  readonly signUp: Endpoint<SignedIn | undefined>;
  readonly signIn: Endpoint<SignedIn | undefined>;
  readonly signedOut: Endpoint<SignedIn | undefined>;
  readonly asset: Endpoint<undefined>;
}

type PageServices = Pick<
  Services,
  "db" | "vault" | "authority" | "identityProviders" | "baseUrl" | "mailDelivery" | "signUp" | "tee"
>;

/** A path names its content by a hash, so whoever has it need not ask again. */
const FOR_EVER = "public, max-age=31536000, immutable";

/** Serves what pages load, compressed where it is asked for. */
function createAssetEndpoint(): Endpoint<undefined> {
  const findAsset = createAssetFinder(SCRIPTS);
  const compressed = createCompressor();
  return async ({ request, url }) => {
    const found = findAsset(url.pathname);
    if (found === undefined) throw new ProtocolError("not_found", "There is no such file");
    const { body, headers } = await compressed(found, request.headers.get("accept-encoding"));
    const init = { headers: { "content-type": found.type, "cache-control": FOR_EVER, ...headers } };
    return new Response(body, init);
  };
}

/** A page for people who are not signed in: everybody else has keys to look at. */
function visitorPage(page: (context: RequestContext) => Response): Endpoint<SignedIn | undefined> {
  return (context, signedIn) => Promise.resolve(signedIn === undefined ? page(context) : redirect("/keys"));
}

/** Makes the page endpoints over the given services. */
export function createPageEndpoints(services: PageServices): PageEndpoints {
  const { signIn, signUp } = createCeremonyPages(services);

  return {
    home: visitorPage((context) => htmlPage(200, homePage(toFrame(services, context)))),
    signUp,
    signIn,
    signedOut: visitorPage((context) => htmlPage(200, signedOutPage(toFrame(services, context)))),
    ...createKeyPages(services),
    asset: createAssetEndpoint(),
  };
}
