import { CODE_ATTEMPTS } from "../../accounts/email/code.ts";
import { findSignInAccountId } from "../../accounts/identity/sign-in-ticket.ts";
import { admissionFault, findAdmission } from "../../accounts/invitation.ts";
import { userHandleOf } from "../../accounts/passkey/passkey.ts";
import { findTicket, type SignUpTicket } from "../../accounts/sign-up-ticket.ts";
import type { FrameView } from "../../ui/layout.ts";
import { clearServiceCookie, readServiceCookie, setServiceCookie } from "../../http/cookie/cookies.ts";
import { toFrame } from "../../http/frame-view.ts";
import { pageVisitor } from "../../http/guard/account-guards.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { htmlPage, redirect } from "../../http/response/respond.ts";
import { defineEndpoint, type Endpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { toBase64url } from "../../lib/bytes.ts";
import type { Html } from "../../lib/html.ts";
import { HOUR } from "../../lib/time.ts";
import { type CeremonyPageData, defineCeremonyPage, findProvider } from "./ceremony.ts";
import { identitySignUpPage } from "./identity-sign-up-page.ts";
import { findPresentedAdmission } from "./invitation-cookie.ts";
import { signInPage } from "./sign-in-page.ts";
import { signUpPage } from "./sign-up-page.ts";
import { homePage, signedOutPage, uninvitedPage } from "./visitor-pages.ts";

/** Creates the endpoint of a page for visitors. It redirects a signed-in user to the keys. */
function defineVisitorPage(page: (frame: FrameView) => Html): Endpoint {
  return defineEndpoint(pageVisitor, {}, (context, signedIn, _input, services) =>
    Promise.resolve(
      signedIn === undefined ? htmlPage(200, page(toFrame(services, context))) : redirect("/keys"),
    ));
}

export const showHome = defineVisitorPage(homePage);

export const showSignedOut = defineVisitorPage(signedOutPage);

/** Returns the user handle of the account that a sign-up will create, in base64url. */
function userOf({ accountId }: SignUpTicket): string {
  return toBase64url(userHandleOf(accountId));
}

/** Returns the unfinished sign-up that verified an address or an identity in this browser. */
async function findTicketHere(
  context: RequestContext,
  { db, authority, baseUrl }: Services,
): Promise<SignUpTicket | undefined> {
  const token = readServiceCookie(context, "ticket", baseUrl);
  return token === undefined ? undefined : await findTicket(db, authority, { token, now: context.now });
}

/** Shows the start of a sign-up, with or without an invitation, or its last step once the address is verified. */
async function showSignUpStart(
  context: RequestContext,
  data: CeremonyPageData,
  ticket: SignUpTicket | undefined,
  services: Services,
): Promise<Response> {
  const { url, now } = context;
  const { db, authority, baseUrl, mailDelivery } = services;
  const { returnTo } = data;
  const opened = url.searchParams.get("invitation");
  const admission = opened === null
    ? await findPresentedAdmission(context, services)
    : await findAdmission(db, authority, { rule: services.signUp, token: opened, now });
  const refusing = findProvider(context, "refused", services);
  const fault = admissionFault(admission) ?? (refusing && admissionFault(admission, null));
  const isAfresh = url.searchParams.has("afresh");
  if (fault !== undefined && (ticket === undefined || isAfresh)) {
    const why = fault === "uninvited" && opened !== null ? "over" : fault;
    const provider = refusing && { provider: refusing.name };
    return htmlPage(200, uninvitedPage({ ...toFrame(services, context), why, ...provider, returnTo }));
  }
  // Removes the token from the address bar.
  if (opened !== null) {
    const path = returnTo === "" ? "/sign-up" : `/sign-up?${returnTo}`;
    return redirect(path, admission.invitation && setServiceCookie("invitation", opened, baseUrl));
  }
  const email = isAfresh ? null : ticket?.email ?? null;
  const verified = email === null || ticket === undefined
    ? {}
    : { verifiedEmail: email, user: userOf(ticket) };
  const invited = admission.invitation && { invited: admission.invitation.email };
  const page = { mail: mailDelivery, tries: CODE_ATTEMPTS, ...verified, ...invited, ...data };
  return htmlPage(200, signUpPage(page), isAfresh ? clearServiceCookie("ticket", baseUrl) : []);
}

export const showSignUp = defineCeremonyPage(async (context, data, services) => {
  const provider = findProvider(context, "identity", services);
  const ticket = await findTicketHere(context, services);
  // Does not trust the query: the ticket must have an identity of the provider.
  if (provider === undefined || ticket?.identity?.issuer !== provider.issuer) {
    return await showSignUpStart(
      context,
      data,
      ticket?.identity === undefined ? ticket : undefined,
      services,
    );
  }
  const { email, name } = ticket;
  return htmlPage(
    200,
    identitySignUpPage({
      provider: provider.name,
      email,
      name,
      user: userOf(ticket),
      returnTo: data.returnTo,
      ...toFrame(services, context),
    }),
  );
});

export const showSignIn = defineCeremonyPage(async (context, given, services) => {
  const data = { ...given, sessionHours: services.sessionLifetimes.longest / HOUR };
  const { db, authority, baseUrl } = services;
  const token = readServiceCookie(context, "signIn", baseUrl);
  const provider = findProvider(context, "identity", services);
  const accountId = token === undefined || provider === undefined
    ? undefined
    : await findSignInAccountId(db, authority, { token, now: context.now });
  if (provider !== undefined && accountId !== undefined) {
    return htmlPage(200, signInPage({ ...data, notice: { provider: provider.name, what: "account" } }));
  }
  // The plain page accepts any passkey.
  const cookies = token === undefined ? [] : clearServiceCookie("signIn", baseUrl);
  const taken = findProvider(context, "taken", services);
  const notice = taken && { notice: { provider: taken.name, what: "address_taken" } as const };
  return htmlPage(200, signInPage({ ...data, ...notice }), cookies);
});
