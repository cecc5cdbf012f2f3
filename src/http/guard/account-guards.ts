import { newBrowserSecret, readBrowserHash } from "../../accounts/session/browser-secret.ts";
import { findSession, type SignedIn } from "../../accounts/session/session.ts";
import { findTicket, type SignUpTicket } from "../../accounts/sign-up-ticket.ts";
import { ProtocolError } from "../../lib/error.ts";
import { readServiceCookie, setServiceCookie } from "../cookie/cookies.ts";
import { renewLogReceipt, verifyLogReceipts } from "../cookie/log-receipt.ts";
import { type Guard, hasAuthorizationToken } from "./guard.ts";
import type { RequestContext } from "../request-context.ts";
import { type ExtraHeaders, redirect } from "../response/respond.ts";
import type { Services } from "../services.ts";

/** A browser, which need not be signed in. */
export interface Browser {
  readonly hash: string;
  /** Renews the cookie, so that it lasts as long as an operation that the browser begins now. */
  readonly cookies: ExtraHeaders;
}

/** A principal that may register a passkey: the first with a sign-up ticket, another with a session. */
export interface SignUpOrSession {
  readonly ticket: SignUpTicket | undefined;
  readonly signedIn: SignedIn | undefined;
}

export function unauthenticated(): ProtocolError {
  return new ProtocolError("authentication_required", "Sign in first", {
    headers: { "WWW-Authenticate": 'Bearer realm="keys"' },
  });
}

/** The header that names the intended account: another user may have signed in since the page was loaded. */
const ACCOUNT_HEADER = "holdfast-account";

function isMeantFor({ request: { headers } }: RequestContext, { account }: SignedIn): boolean {
  return (headers.get(ACCOUNT_HEADER) ?? account.id) === account.id;
}

function signInPath(next: string): string {
  return `/sign-in?next=${encodeURIComponent(next)}`;
}

/**
 * Returns the user of the session cookie, and verifies and renews log receipts. Returns undefined without a session, or
 * if `Holdfast-Account` names another account. Ignores the cookie if the request has a token.
 */
export async function findSignedIn(
  context: RequestContext,
  services: Pick<Services, "db" | "authority" | "baseUrl" | "logReceipt">,
): Promise<SignedIn | undefined> {
  const { request, now } = context;
  const { db, authority, baseUrl } = services;
  const presented = await verifyLogReceipts(context, services);
  const token = hasAuthorizationToken(request) ? undefined : readServiceCookie(context, "session", baseUrl);
  const signedIn = token === undefined ? undefined : await findSession(db, authority, { token, now });
  if (signedIn === undefined || !isMeantFor(context, signedIn)) return undefined;
  renewLogReceipt(context, services, presented);
  return signedIn;
}

async function checkSession(context: RequestContext, services: Services): Promise<SignedIn> {
  const signedIn = await findSignedIn(context, services);
  if (signedIn === undefined) throw unauthenticated();
  return signedIn;
}

async function checkPageSession(context: RequestContext, services: Services): Promise<SignedIn | Response> {
  const { pathname, search } = context.url;
  return await findSignedIn(context, services) ?? redirect(signInPath(pathname + search));
}

async function checkBrowser(context: RequestContext, services: Services): Promise<Browser> {
  const { random, baseUrl } = services;
  await verifyLogReceipts(context, services);
  const brought = readServiceCookie(context, "browser", baseUrl);
  const known = brought !== undefined && readBrowserHash(brought) !== undefined ? brought : undefined;
  const secret = known ?? newBrowserSecret(random);
  return { hash: readBrowserHash(secret)!, cookies: setServiceCookie("browser", secret, baseUrl) };
}

async function checkSignUpOrSession(context: RequestContext, services: Services): Promise<SignUpOrSession> {
  const { db, authority, baseUrl } = services;
  const token = readServiceCookie(context, "ticket", baseUrl);
  const ticket = token === undefined
    ? undefined
    : await findTicket(db, authority, { token, now: context.now });
  const signedIn = await findSignedIn(context, services);
  if (ticket === undefined && signedIn === undefined) throw unauthenticated();
  return { ticket, signedIn };
}

/** Admits a signed-in user. Throws `authentication_required`. */
export const session: Guard<SignedIn> = {
  name: "session",
  unsafe: "cross-site-json",
  check: checkSession,
};

/** Admits a signed-in user; redirects to `/sign-in`, and back to the page afterwards. */
export const pageSession: Guard<SignedIn> = {
  name: "page session",
  unsafe: "cross-site-form",
  check: checkPageSession,
};

/**
 * Admits a signed-in user who sends a page's form; redirects to sign in and then to `page`, a path with a query. Does
 * not send the form again, because another user may sign in.
 */
export function formSession(page: string): Guard<SignedIn> {
  return {
    name: "form session",
    unsafe: "cross-site-form",
    check: async (context, services) => await findSignedIn(context, services) ?? redirect(signInPath(page)),
  };
}

/** Admits every visitor of a page. The principal is the signed-in user or undefined. */
export const pageVisitor: Guard<SignedIn | undefined> = {
  name: "page visitor",
  unsafe: "cross-site-form",
  check: findSignedIn,
};

/** Like `pageVisitor`, for the API. */
export const visitor: Guard<SignedIn | undefined> = {
  name: "visitor",
  unsafe: "cross-site-json",
  check: findSignedIn,
};

/** Admits every browser and identifies it by a cookie. */
export const browser: Guard<Browser> = {
  name: "browser",
  unsafe: "cross-site-json",
  check: checkBrowser,
};

/** Admits a request that may register a passkey. Throws `authentication_required`. */
export const signUpOrSession: Guard<SignUpOrSession> = {
  name: "sign-up or session",
  unsafe: "cross-site-json",
  check: checkSignUpOrSession,
};
