import { beginIdentitySignIn, identifyPerson, receiveReturn } from "../../accounts/identity-sign-in.ts";
import type { IdentityOutcome } from "../../accounts/identity-sign-in.ts";
import { finishLink } from "../../accounts/link-identity.ts";
import { IdentityError } from "../../identity/error.ts";
import { openLine } from "../../identity/provider-request.ts";
import type { IdentityProvider } from "../../identity/provider.ts";
import { networkOf } from "../../lib/ip-address.ts";
import { ProtocolError } from "../../lib/error.ts";
import type { WayBack } from "../../lib/error.ts";
import { findSignedIn } from "../../http/guard/account-guards.ts";
import type { Browser } from "../../http/guard/account-guards.ts";
import { giveCookie } from "../../http/cookie/cookies.ts";
import { findBroughtEntry } from "./invitation-cookie.ts";
import { identityProblem } from "../../http/response/identity-problem.ts";
import { readOAuthQuery } from "../../http/request/oauth-parameters.ts";
import { onwardQuery, WaitingQuery } from "../../http/request/return-to.ts";
import { readNoQuery, readQuery } from "../../http/request/query.ts";
import type { RequestContext } from "../../http/request-context.ts";
import type { ProviderList } from "./schema.ts";
import { json, redirect, redirectElsewhere } from "../../http/response/respond.ts";
import type { ExtraHeaders } from "../../http/response/respond.ts";
import { counted } from "../../http/response/rate-limit.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";

/** The endpoints of sign-in with other providers. */
export interface IdentityEndpoints {
  readonly list: LegacyEndpoint<undefined>;
  /** Sends the browser to the provider. */
  readonly begin: LegacyEndpoint<Browser>;
  /** Where the provider sends it back to. */
  readonly callback: LegacyEndpoint<Browser>;
}

/** Makes the endpoints over the given services. */
export function createIdentityEndpoints(services: Services): IdentityEndpoints {
  const { db, identityProviders, outgoing, baseUrl, random } = services;

  /** What each step is told of the request. */
  function step({ params, clientAddress, now }: RequestContext, { hash }: Browser) {
    const provider = identityProviders.get(params["provider"]!);
    if (provider === undefined) throw new ProtocolError("not_found", "There is no such sign-in");
    const redirectUri = `${baseUrl}/api/auth/identity/${provider.id}/callback`;
    const line = openLine(outgoing, now);
    return { provider, redirectUri, line, browserHash: hash, network: networkOf(clientAddress), now, random };
  }

  /** Where the browser goes on, and with what. */
  function outcomeResponse(outcome: IdentityOutcome, { id }: IdentityProvider, onward: string): Response {
    const path = (page: string, marker: string): string =>
      `${page}?${marker}=${id}${onward === "" ? "" : `&${onward}`}`;
    const cookie = (
      kind: "ticket" | "signIn",
      token: string,
    ): ExtraHeaders => giveCookie(kind, token, baseUrl);
    switch (outcome.next) {
      case "register_passkey":
        return redirect(path("/sign-up", "identity"), cookie("ticket", outcome.ticket));
      case "sign_in":
        return redirect(path("/sign-in", "identity"), cookie("signIn", outcome.ticket));
      case "address_taken":
        return redirect(path("/sign-in", "taken"));
      case "refused":
        return redirect(path("/sign-up", "refused"));
    }
  }

  const list: LegacyEndpoint<undefined> = (context) => {
    readNoQuery(context);
    const providers = [...identityProviders.values()].map(({ id, name }) => ({ id, name }));
    return Promise.resolve(json<typeof ProviderList>(200, { providers }));
  };

  const begin: LegacyEndpoint<Browser> = async (context, browser) => {
    requireNavigation(context);
    const value = step(context, browser);
    const onward = onwardQuery(readQuery(context, WaitingQuery));
    const url = await explaining(
      value.provider,
      backToSignIn(onward),
      () => beginIdentitySignIn(db, counted(context, services), { ...value, onward }),
    );
    return redirectElsewhere(url, browser.cookies);
  };

  const callback: LegacyEndpoint<Browser> = async (context, browser) => {
    const value = { ...step(context, browser), callback: readOAuthQuery(context) };
    const { provider } = value;
    const signedIn = await findSignedIn(context, services);
    const returned = { ...value, sessionId: signedIn?.session.id };
    const { attempt, onward, sessionId } = await explaining(
      provider,
      backToSignIn(""),
      () => receiveReturn(db, services, returned),
    );
    if (sessionId !== undefined && signedIn !== undefined) {
      const finish = () => finishLink(db, services, { ...value, signedIn, attempt });
      const outcome = await explaining(provider, BACK_TO_SETTINGS, finish);
      return redirect(`/account/settings?${new URLSearchParams({ link: outcome, with: provider.id })}`);
    }
    const entry = await findBroughtEntry(context, services);
    const outcome = await explaining(
      provider,
      backToSignIn(onward),
      () => identifyPerson(db, services, { ...value, entry, attempt }),
    );
    return outcomeResponse(outcome, provider, onward);
  };

  return { list, begin, callback };
}

const BACK_TO_SETTINGS: WayBack = { path: "/account/settings#identities", to: "account" };

function backToSignIn(onward: string): WayBack {
  return { path: onward === "" ? "/sign-in" : `/sign-in?${onward}`, to: "sign_in" };
}

/** A picture or frame of another site's page must not use up the limit of whoever looks at that page. */
function requireNavigation({ request }: RequestContext): void {
  const destination = request.headers.get("sec-fetch-dest");
  if (destination !== null && destination !== "document") {
    throw new ProtocolError("cross_site_request", "Open this in a window of its own");
  }
}

/** Runs a step; what failed in it is told as a page with a way back. */
async function explaining<T>(
  provider: IdentityProvider,
  wayBack: WayBack,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw error instanceof IdentityError ? identityProblem(error, provider, wayBack) : error;
  }
}
