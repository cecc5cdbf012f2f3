import { DEVICE_LIFETIME } from "../../db/lifetimes.ts";
import { SESSION_LIFETIME } from "../../accounts/session/session.ts";
import { SIGN_IN_TICKET_LIFETIME } from "../../accounts/identity/sign-in-ticket.ts";
import { TICKET_LIFETIME } from "../../accounts/sign-up-ticket.ts";
import { HOUR, SECOND } from "../../lib/time.ts";
import { PENDING_REQUEST_LIFETIME } from "../../oauth/authorize/pending-request.ts";
import { clearCookie, readCookie, setCookie } from "./cookie.ts";
import type { ExtraHeaders } from "../answer/respond.ts";

/** Every cookie of the service: its name, and for how long a browser keeps it. */
const COOKIES = {
  session: { name: "service.session_token", lifetime: SESSION_LIFETIME },
  ticket: { name: "service.sign_up", lifetime: TICKET_LIFETIME },
  /** Whose passkey is asked for, after another provider named the person. */
  signIn: { name: "service.sign_in", lifetime: SIGN_IN_TICKET_LIFETIME },
  browser: { name: "service.pre_session", lifetime: HOUR },
  /** Known to the accounts that were signed in to from this browser. It signs nobody in. */
  device: { name: "service.device", lifetime: DEVICE_LIFETIME },
  /** Shows that the audit log had an entry. It says nothing of whoever brings it. */
  witness: { name: "service.witness", lifetime: DEVICE_LIFETIME },
  /** Ties authorization requests to a browser. Apart from `browser`, because it must outlive signing in. */
  authorization: { name: "service.authorization", lifetime: PENDING_REQUEST_LIFETIME },
} as const;

export type CookieKind = keyof typeof COOKIES;

/** The value of one of our cookies; undefined when the request has none, or two. */
export function readOurCookie(request: Request, kind: CookieKind): string | undefined {
  return readCookie(request.headers, COOKIES[kind].name);
}

/** The header that gives a browser one of our cookies. */
export function giveCookie(kind: CookieKind, value: string, baseUrl: string): ExtraHeaders[number] {
  const { name, lifetime } = COOKIES[kind];
  return setCookie(name, value, { maxAgeSeconds: lifetime / SECOND, baseUrl });
}

/** The header that takes one of our cookies from a browser. */
export function takeCookie(kind: CookieKind, baseUrl: string): ExtraHeaders[number] {
  return clearCookie(COOKIES[kind].name, baseUrl);
}
