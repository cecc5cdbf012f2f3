import { CODE_ATTEMPTS } from "../../accounts/email/code.ts";
import { entryFault, findEntry } from "../../accounts/invitation.ts";
import { readBrowserHash } from "../../accounts/session/browser-secret.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { findSignInAccountId } from "../../accounts/identity/sign-in-ticket.ts";
import { userHandleOf } from "../../accounts/passkey/passkey.ts";
import { findTicket } from "../../accounts/sign-up-ticket.ts";
import type { SignUpTicket } from "../../accounts/sign-up-ticket.ts";
import type { IdentityProvider } from "../../identity/provider.ts";
import { mustSignInFirst } from "../../oauth/authorize/authorize.ts";
import { toBase64url } from "../../lib/bytes.ts";
import { identitySignUpPage } from "./identity-sign-up-page.ts";
import type { ProvidersData } from "./provider-links.ts";
import { signInPage } from "./sign-in-page.ts";
import { signUpPage } from "./sign-up-page.ts";
import { homePage, signedOutPage, uninvitedPage } from "./visitor-pages.ts";
import { giveCookie, readOurCookie, takeCookie } from "../../http/cookie/cookies.ts";
import { findBroughtEntry } from "./invitation-cookie.ts";
import { onwardQuery, pendingPath } from "../../http/request/return-to.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { toFrame } from "../../http/frame-view.ts";
import { htmlPage, isLocalPath, redirect } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";

/** The pages on which people make an account or sign in. */
export interface CeremonyPages {
  readonly signUp: LegacyEndpoint<SignedIn | undefined>;
  readonly signIn: LegacyEndpoint<SignedIn | undefined>;
}

type CeremonyServices = Pick<
  Services,
  "db" | "authority" | "identityProviders" | "baseUrl" | "mailDelivery" | "signUp" | "tee"
>;

/** What a page of a ceremony is shown with. */
interface Shown extends ProvidersData {
  /** What waits, as everybody takes it along. */
  readonly onward: string;
  /** The same between these two pages, where whoever is signed in wants another account. */
  readonly along?: string;
}

/** Whether whoever is signed in asked for another account than their own. */
function wantsAnother({ url: { searchParams } }: RequestContext): boolean {
  return searchParams.has("request") && searchParams.get("account") === "other";
}

/** The user handle of the account that will be made, as ceremonies name it. */
function userOf({ accountId }: SignUpTicket): string {
  return toBase64url(userHandleOf(accountId));
}

/** Makes the two pages over the given services. */
export function createCeremonyPages(services: CeremonyServices): CeremonyPages {
  const { db, authority, identityProviders, baseUrl, mailDelivery } = services;

  /** The provider that the query names under this marker. */
  function providerOf(
    { url }: RequestContext,
    marker: "identity" | "taken" | "refused",
  ): IdentityProvider | undefined {
    return identityProviders.get(url.searchParams.get(marker) ?? "");
  }

  /** The sign-up that this browser has proven an address or an identity for, and not finished. */
  async function ticketOf(context: RequestContext): Promise<SignUpTicket | undefined> {
    const token = readOurCookie(context, "ticket", baseUrl);
    return token === undefined ? undefined : await findTicket(db, authority, { token, now: context.now });
  }

  /**
   * Whether an authorization request has all that it needs of whoever is signed in, who did not ask for another
   * account.
   */
  async function isReadyFor(
    context: RequestContext,
    requestId: string,
    signedIn: SignedIn,
  ): Promise<boolean> {
    const secret = readOurCookie(context, "authorization", baseUrl);
    const browserHash = secret === undefined ? undefined : readBrowserHash(secret);
    if (browserHash === undefined || wantsAnother(context)) return false;
    return !await mustSignInFirst(db, services, { requestId, browserHash, signedIn, now: context.now });
  }

  /** Whether a browser comes from another provider just now. Back comes with the query too, but without what was given. */
  function isComing(context: RequestContext): boolean {
    const { searchParams } = context.url;
    if (searchParams.has("taken") || searchParams.has("refused")) return true;
    const isHeld = (name: "ticket" | "signIn"): boolean =>
      readOurCookie(context, name, baseUrl) !== undefined;
    return searchParams.has("identity") && (isHeld("ticket") || isHeld("signIn"));
  }

  /**
   * A page of a ceremony. Whoever is signed in is sent on, by Back too, unless they come from another provider just
   * now, want another account for an authorization request, or must sign in again for it.
   */
  function ceremonyPage(
    page: (context: RequestContext, shown: Shown) => Promise<Response>,
  ): LegacyEndpoint<SignedIn | undefined> {
    return async (context, signedIn) => {
      const { searchParams } = context.url;
      const request = searchParams.get("request") ?? undefined;
      const next = searchParams.get("next") ?? "";
      if (signedIn !== undefined && !isComing(context)) {
        if (request === undefined) return redirect(isLocalPath(next) ? next : "/keys");
        if (await isReadyFor(context, request, signedIn)) return redirect(pendingPath("/consent", request));
      }
      const onward = onwardQuery({ request, ...(isLocalPath(next) ? { next } : {}) });
      const providers = [...identityProviders.values()].map(({ id, name }) => ({ id, name }));
      return await page(context, {
        ...toFrame(services, context),
        providers,
        onward,
        ...(wantsAnother(context) && { along: `${onward}&account=other` }),
      });
    };
  }

  const signUp = ceremonyPage(async (context, shown) => {
    const provider = providerOf(context, "identity");
    const ticket = await ticketOf(context);
    // The query is anybody's word.
    if (provider !== undefined && ticket?.identity?.issuer === provider.issuer) {
      const { email, name } = ticket;
      return htmlPage(
        200,
        identitySignUpPage({
          provider: provider.name,
          email,
          name,
          user: userOf(ticket),
          onward: shown.onward,
          ...toFrame(services, context),
        }),
      );
    }
    return await enter(context, shown, ticket?.identity === undefined ? ticket : undefined);
  });

  /** Where somebody begins who brought an invitation, or none; or goes on who has proven an address. */
  async function enter(
    context: RequestContext,
    shown: Shown,
    ticket: SignUpTicket | undefined,
  ): Promise<Response> {
    const { url, now } = context;
    const opened = url.searchParams.get("invitation");
    const entry = opened === null
      ? await findBroughtEntry(context, services)
      : await findEntry(db, authority, { rule: services.signUp, token: opened, now });
    const refusing = providerOf(context, "refused");
    const fault = entryFault(entry) ?? (refusing && entryFault(entry, null));
    const isAfresh = url.searchParams.has("afresh");
    if (fault !== undefined && (ticket === undefined || isAfresh)) {
      const why = fault === "uninvited" && opened !== null ? "over" : fault;
      const whose = refusing && { provider: refusing.name };
      const { onward } = shown;
      return htmlPage(200, uninvitedPage({ ...toFrame(services, context), why, ...whose, onward }));
    }
    // Its secret leaves the address bar.
    if (opened !== null) {
      const path = shown.onward === "" ? "/sign-up" : `/sign-up?${shown.onward}`;
      return redirect(path, entry.invitation && giveCookie("invitation", opened, baseUrl));
    }
    const email = isAfresh ? null : ticket?.email ?? null;
    const proven = email === null || ticket === undefined ? {} : { provenEmail: email, user: userOf(ticket) };
    const invited = entry.invitation && { invited: entry.invitation.email };
    const page = { mail: mailDelivery, tries: CODE_ATTEMPTS, ...proven, ...invited, ...shown };
    return htmlPage(200, signUpPage(page), isAfresh ? takeCookie("ticket", baseUrl) : []);
  }

  const signIn = ceremonyPage(async (context, shown) => {
    const token = readOurCookie(context, "signIn", baseUrl);
    const provider = providerOf(context, "identity");
    const accountId = token === undefined || provider === undefined
      ? undefined
      : await findSignInAccountId(db, authority, { token, now: context.now });
    if (provider !== undefined && accountId !== undefined) {
      return htmlPage(200, signInPage({ ...shown, told: { provider: provider.name, what: "account" } }));
    }
    // Whoever opens the plain page means any passkey.
    const cookies = token === undefined ? [] : takeCookie("signIn", baseUrl);
    const taken = providerOf(context, "taken");
    const told = taken && { told: { provider: taken.name, what: "address_taken" } as const };
    return htmlPage(200, signInPage({ ...shown, ...told }), cookies);
  });

  return { signUp, signIn };
}

/** A page for people who are not signed in: everybody else has keys to look at. */
function visitorPage(page: (context: RequestContext) => Response): LegacyEndpoint<SignedIn | undefined> {
  return (context, signedIn) => Promise.resolve(signedIn === undefined ? page(context) : redirect("/keys"));
}

export function createVisitorPages(services: Pick<Services, "tee">) {
  return {
    home: visitorPage((context) => htmlPage(200, homePage(toFrame(services, context)))),
    signedOut: visitorPage((context) => htmlPage(200, signedOutPage(toFrame(services, context)))),
  };
}
