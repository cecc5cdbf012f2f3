import { readBrowserHash } from "../../accounts/session/browser-secret.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { readServiceCookie } from "../../http/cookie/cookies.ts";
import { toFrame } from "../../http/frame-view.ts";
import { pageVisitor } from "../../http/guard/account-guards.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { formatReturnTo, pendingPath } from "../../http/request/return-to.ts";
import { isLocalPath, redirect } from "../../http/response/respond.ts";
import { defineEndpoint, type Endpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import type { IdentityProvider } from "../../identity/provider.ts";
import { mustSignInFirst } from "../../oauth/authorize/authorize.ts";
import { providersOf } from "./identity-providers.ts";
import type { ProvidersData } from "./provider-links.ts";

export interface CeremonyPageData extends ProvidersData {
  /** The query that returns to the pending request or page. */
  readonly returnTo: string;
  /** The query between these two pages, if a signed-in user wants another account. */
  readonly otherAccountQuery?: string;
}

export function findProvider(
  { url }: RequestContext,
  parameter: "identity" | "taken" | "refused",
  { identityProviders }: Services,
): IdentityProvider | undefined {
  return identityProviders.get(url.searchParams.get(parameter) ?? "");
}

/** Returns true if the signed-in user asked for another account. */
function wantsOtherAccount({ url: { searchParams } }: RequestContext): boolean {
  return searchParams.has("request") && searchParams.get("account") === "other";
}

/** Returns true if an authorization request can continue with the user, who did not ask for another account. */
async function isReadyFor(
  context: RequestContext,
  requestId: string,
  signedIn: SignedIn,
  services: Services,
): Promise<boolean> {
  const secret = readServiceCookie(context, "authorization", services.baseUrl);
  const browserHash = secret === undefined ? undefined : readBrowserHash(secret);
  if (browserHash === undefined || wantsOtherAccount(context)) return false;
  const value = { requestId, browserHash, signedIn, now: context.now };
  return !await mustSignInFirst(services.db, services, value);
}

/** Returns true for a redirect from a provider. The Back button repeats the query too, but not the cookie. */
function comesFromProvider(context: RequestContext, baseUrl: string): boolean {
  const { searchParams } = context.url;
  if (searchParams.has("taken") || searchParams.has("refused")) return true;
  const hasCookie = (name: "ticket" | "signIn"): boolean =>
    readServiceCookie(context, name, baseUrl) !== undefined;
  return searchParams.has("identity") && (hasCookie("ticket") || hasCookie("signIn"));
}

/**
 * Creates the endpoint of a page for sign-up or sign-in. It redirects a signed-in user, unless the user comes from an
 * identity provider, wants another account for an authorization request, or must sign in again for it.
 */
export function defineCeremonyPage(
  show: (context: RequestContext, data: CeremonyPageData, services: Services) => Promise<Response>,
): Endpoint {
  return defineEndpoint(pageVisitor, {}, async (context, signedIn, _input, services) => {
    const { searchParams } = context.url;
    const request = searchParams.get("request") ?? undefined;
    const next = searchParams.get("next") ?? "";
    if (signedIn !== undefined && !comesFromProvider(context, services.baseUrl)) {
      if (request === undefined) return redirect(isLocalPath(next) ? next : "/keys");
      if (await isReadyFor(context, request, signedIn, services)) {
        return redirect(pendingPath("/consent", request));
      }
    }
    const returnTo = formatReturnTo({ request, ...(isLocalPath(next) ? { next } : {}) });
    const data = {
      ...toFrame(services, context),
      providers: providersOf(services),
      returnTo,
      ...(wantsOtherAccount(context) && { otherAccountQuery: `${returnTo}&account=other` }),
    };
    return await show(context, data, services);
  });
}
