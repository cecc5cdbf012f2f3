import { newBrowserSecret, readBrowserHash } from "../../accounts/session/browser-secret.ts";
import { findSession } from "../../accounts/session/session.ts";
import type { SignedIn } from "../../accounts/session/session.ts";
import { findTicket } from "../../accounts/sign-up-ticket.ts";
import type { SignUpTicket } from "../../accounts/sign-up-ticket.ts";
import { ProtocolError } from "../../lib/error.ts";
import { giveCookie, readOurCookie } from "../cookie/cookies.ts";
import { inspectReceipts, renewReceipt } from "../cookie/log-receipt.ts";
import { bringsToken } from "./guard.ts";
import type { Guard, UnsafeRule } from "./guard.ts";
import type { RequestContext } from "../request-context.ts";
import { redirect } from "../response/respond.ts";
import type { ExtraHeaders } from "../response/respond.ts";
import type { Services } from "../services.ts";

/** A browser before anybody has signed in from it. */
export interface Browser {
  readonly hash: string;
  /** Makes it known for as long again: what it begins now must not outlive the cookie. */
  readonly cookies: ExtraHeaders;
}

/**
 * Who may make a passkey: the holder of a sign-up ticket its first, whoever is signed in a further one; or one who is
 * both.
 */
export interface SignUpOrSession {
  readonly ticket: SignUpTicket | undefined;
  readonly signedIn: SignedIn | undefined;
}

/** The guards that know people by their cookies. */
export interface AccountGuards {
  /** Whoever is signed in; 401 `authentication_required` otherwise. */
  readonly session: Guard<SignedIn>;
  /** Whoever is signed in; a page of the person's own sends anybody else to `/sign-in` and back. */
  readonly pageSession: Guard<SignedIn>;
  /**
   * Whoever is signed in, for what the form of a page does; anybody else is sent to sign in and back to `page`, a path
   * with a query: the form itself is not sent again, since another person may sign in.
   */
  readonly formSession: (page: string) => Guard<SignedIn>;
  /** Whoever is signed in, or nobody, on a page. */
  readonly pageVisitor: Guard<SignedIn | undefined>;
  /** The same, for programs. */
  readonly visitor: Guard<SignedIn | undefined>;
  /** The browser, known from now on. */
  readonly browser: Guard<Browser>;
  /** 401 for whoever may make no passkey. */
  readonly signUpOrSession: Guard<SignUpOrSession>;
}

/** The refusal of whoever is not signed in, or has not proven what it takes. */
export function unauthenticated(): ProtocolError {
  return new ProtocolError("authentication_required", "Sign in first", {
    headers: { "WWW-Authenticate": 'Bearer realm="keys"' },
  });
}

/** Names the account that a request is meant for, as our pages do: somebody else may have signed in since they were loaded. */
const MEANT_FOR = "holdfast-account";

function isMeantFor({ request: { headers } }: RequestContext, { account }: SignedIn): boolean {
  return (headers.get(MEANT_FOR) ?? account.id) === account.id;
}

function signInPath(next: string): string {
  return `/sign-in?next=${encodeURIComponent(next)}`;
}

/**
 * Who is signed in by the session cookie, with the log's receipts looked at and renewed; undefined for nobody, for
 * whoever is another than `Holdfast-Account` names, and for a request that brings a token, which is judged by that alone.
 */
export async function findSignedIn(
  context: RequestContext,
  services: Pick<Services, "db" | "authority" | "baseUrl" | "witness">,
): Promise<SignedIn | undefined> {
  const { request, now } = context;
  const { db, authority, baseUrl } = services;
  const held = await inspectReceipts(context, services);
  const token = bringsToken(request) ? undefined : readOurCookie(context, "session", baseUrl);
  const signedIn = token === undefined ? undefined : await findSession(db, authority, { token, now });
  if (signedIn === undefined || !isMeantFor(context, signedIn)) return undefined;
  renewReceipt(context, services, held);
  return signedIn;
}

/** Makes the guards over the sessions and tickets of a database. */
export function createAccountGuards(
  services: Pick<Services, "db" | "authority" | "random" | "baseUrl" | "witness">,
): AccountGuards {
  const { db, authority, random, baseUrl } = services;

  const findPresent = (context: RequestContext): Promise<SignedIn | undefined> =>
    findSignedIn(context, services);

  async function checkSession(context: RequestContext): Promise<SignedIn> {
    const signedIn = await findPresent(context);
    if (signedIn === undefined) throw unauthenticated();
    return signedIn;
  }

  async function checkPageSession(context: RequestContext): Promise<SignedIn | Response> {
    const { pathname, search } = context.url;
    return await findPresent(context) ?? redirect(signInPath(pathname + search));
  }

  function checkFormSession(page: string): Guard<SignedIn>["check"] {
    return async (context) => await findPresent(context) ?? redirect(signInPath(page));
  }

  async function checkBrowser(context: RequestContext): Promise<Browser> {
    await inspectReceipts(context, services);
    const brought = readOurCookie(context, "browser", baseUrl);
    const known = brought !== undefined && readBrowserHash(brought) !== undefined ? brought : undefined;
    const secret = known ?? newBrowserSecret(random);
    const hash = readBrowserHash(secret)!;
    return { hash, cookies: giveCookie("browser", secret, baseUrl) };
  }

  async function checkSignUpOrSession(context: RequestContext): Promise<SignUpOrSession> {
    const token = readOurCookie(context, "ticket", baseUrl);
    const ticket = token === undefined
      ? undefined
      : await findTicket(db, authority, { token, now: context.now });
    const signedIn = await findPresent(context);
    if (ticket === undefined && signedIn === undefined) throw unauthenticated();
    return { ticket, signedIn };
  }

  const guard = <P>(name: string, unsafe: UnsafeRule, check: Guard<P>["check"]): Guard<P> => ({
    name,
    unsafe,
    check,
  });
  return {
    session: guard("session", "cross-site-json", checkSession),
    pageSession: guard("page session", "cross-site-form", checkPageSession),
    formSession: (page) => guard("form session", "cross-site-form", checkFormSession(page)),
    pageVisitor: guard("page visitor", "cross-site-form", findPresent),
    visitor: guard("visitor", "cross-site-json", findPresent),
    browser: guard("browser", "cross-site-json", checkBrowser),
    signUpOrSession: guard("sign-up or session", "cross-site-json", checkSignUpOrSession),
  };
}
