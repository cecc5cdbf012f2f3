import { beginIdentitySignIn, identifyPerson, receiveReturn } from "../../accounts/identity-sign-in.ts";
import type { IdentityOutcome } from "../../accounts/identity-sign-in.ts";
import { finishLink } from "../../accounts/link-identity.ts";
import { IdentityError } from "../../identity/error.ts";
import { openProviderConnection } from "../../identity/provider-request.ts";
import type { IdentityProvider } from "../../identity/provider.ts";
import { networkOf } from "../../lib/ip-address.ts";
import { ProtocolError, type ReturnLink } from "../../lib/error.ts";
import { type Browser, browser, findSignedIn } from "../../http/guard/account-guards.ts";
import { publicAccess } from "../../http/guard/guard.ts";
import { setServiceCookie } from "../../http/cookie/cookies.ts";
import { findPresentedAdmission } from "./invitation-cookie.ts";
import { identityProblem } from "../../http/response/identity-problem.ts";
import { readOAuthQuery } from "../../http/request/oauth-parameters.ts";
import { formatReturnTo, ReturnToQuery } from "../../http/request/return-to.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { readQuery } from "../../http/request/query.ts";
import type { RequestContext } from "../../http/request-context.ts";
import type { ProviderList, ProviderView } from "./schema.ts";
import { json, redirect, redirectToUrl } from "../../http/response/respond.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";

export function providersOf({ identityProviders }: Pick<Services, "identityProviders">): ProviderView[] {
  return [...identityProviders.values()].map(({ id, name }) => ({ id, name }));
}

export const listProviders = defineEndpoint(
  publicAccess,
  { query: NO_MEMBERS },
  (_context, _principal, _input, services: Services) =>
    Promise.resolve(json<typeof ProviderList>(200, { providers: providersOf(services) })),
);

/** Returns what each step needs of the request. Throws `not_found` for an unknown provider. */
function stepOf(context: RequestContext, { hash }: Browser, services: Services) {
  const { params, clientAddress, now } = context;
  const { identityProviders, outgoing, baseUrl, random } = services;
  const provider = identityProviders.get(params["provider"]!);
  if (provider === undefined) throw new ProtocolError("not_found", "There is no such sign-in");
  const redirectUri = `${baseUrl}/api/auth/identity/${provider.id}/callback`;
  const connection = openProviderConnection(outgoing, context);
  return {
    provider,
    redirectUri,
    connection,
    browserHash: hash,
    network: networkOf(clientAddress),
    now,
    random,
  };
}

function outcomeResponse(
  outcome: IdentityOutcome,
  { id }: IdentityProvider,
  returnTo: string,
  baseUrl: string,
): Response {
  const path = (page: string, marker: string): string =>
    `${page}?${marker}=${id}${returnTo === "" ? "" : `&${returnTo}`}`;
  switch (outcome.next) {
    case "register_passkey":
      return redirect(path("/sign-up", "identity"), setServiceCookie("ticket", outcome.ticket, baseUrl));
    case "sign_in":
      return redirect(path("/sign-in", "identity"), setServiceCookie("signIn", outcome.ticket, baseUrl));
    case "address_taken":
      return redirect(path("/sign-in", "taken"));
    case "refused":
      return redirect(path("/sign-up", "refused"));
  }
}

const BACK_TO_SETTINGS: ReturnLink = { path: "/account/settings#identities", to: "account" };

function backToSignIn(returnTo: string): ReturnLink {
  return { path: returnTo === "" ? "/sign-in" : `/sign-in?${returnTo}`, to: "sign_in" };
}

/** Throws `cross_site_request` unless the browser navigates: another site's image must not use up the limit. */
function requireNavigation({ request }: RequestContext): void {
  const destination = request.headers.get("sec-fetch-dest");
  if (destination !== null && destination !== "document") {
    throw new ProtocolError("cross_site_request", "Open this page in its own window");
  }
}

/** Runs a step and converts an `IdentityError` to an error page with a return link. */
async function explaining<T>(
  provider: IdentityProvider,
  returnLink: ReturnLink,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw error instanceof IdentityError ? identityProblem(error, provider, returnLink) : error;
  }
}

export const redirectToProvider = defineEndpoint(
  browser,
  {},
  async (context, principal, _input, services) => {
    requireNavigation(context);
    const value = stepOf(context, principal, services);
    const returnTo = formatReturnTo(readQuery(context, ReturnToQuery));
    const url = await explaining(
      value.provider,
      backToSignIn(returnTo),
      () => beginIdentitySignIn(services.db, withRateLimitHeaders(context, services), { ...value, returnTo }),
    );
    return redirectToUrl(url, principal.cookies);
  },
);

/** The redirect URI of the providers. */
export const receiveCallback = defineEndpoint(browser, {}, async (context, principal, _input, services) => {
  const { db } = services;
  const value = { ...stepOf(context, principal, services), callback: readOAuthQuery(context) };
  const { provider } = value;
  const signedIn = await findSignedIn(context, services);
  const returned = { ...value, sessionId: signedIn?.session.id };
  const { attempt, returnTo, sessionId } = await explaining(
    provider,
    backToSignIn(""),
    () => receiveReturn(db, services, returned),
  );
  if (sessionId !== undefined && signedIn !== undefined) {
    const finish = () => finishLink(db, services, { ...value, signedIn, attempt });
    const outcome = await explaining(provider, BACK_TO_SETTINGS, finish);
    return redirect(`/account/settings?${new URLSearchParams({ link: outcome, with: provider.id })}`);
  }
  const admission = await findPresentedAdmission(context, services);
  const outcome = await explaining(
    provider,
    backToSignIn(returnTo),
    () => identifyPerson(db, services, { ...value, admission, attempt }),
  );
  return outcomeResponse(outcome, provider, returnTo, services.baseUrl);
});
