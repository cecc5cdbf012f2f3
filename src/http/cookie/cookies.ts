import { DEVICE_LIFETIME } from "../../db/retention.ts";
import type { SessionLifetimes } from "../../accounts/session/session-lifetimes.ts";
import type { Session } from "../../accounts/session/session.ts";
import { hashSecret } from "../../accounts/session/bearer-secret.ts";
import { SIGN_IN_TICKET_LIFETIME } from "../../accounts/identity/sign-in-ticket.ts";
import { LONGEST_RECOVERY } from "../../accounts/recovery/recovery-settings.ts";
import { TICKET_LIFETIME } from "../../accounts/sign-up-ticket.ts";
import { DAY, HOUR, SECOND } from "../../lib/time.ts";
import { PENDING_REQUEST_LIFETIME } from "../../db/retention.ts";
import { clearCookie, type Cookie, findCookie, findCookies, isRepeated, setCookie } from "./cookie.ts";
import type { ExtraHeaders } from "../response/respond.ts";

const COOKIES = {
  /** Without prefix: its name is part of the API. */
  session: { name: "service.session_token", lifetime: undefined },
  ticket: { name: "service.sign_up", lifetime: TICKET_LIFETIME },
  /** The invitation to sign up with. */
  invitation: { name: "service.invitation", lifetime: DAY },
  /** Opens the administrator's pages. Deleted when the browser is closed. */
  administration: { name: "service.administration", lifetime: undefined },
  /** The account whose passkey is requested after a sign-in with an identity provider. */
  signIn: { name: "service.sign_in", lifetime: SIGN_IN_TICKET_LIFETIME },
  browser: { name: "service.pre_session", lifetime: HOUR },
  /** Identifies the browser that began a recovery. Finishing also requires a code again. */
  recovery: { name: "service.recovery", lifetime: LONGEST_RECOVERY },
  /** Identifies this browser to the accounts that signed in from it. Does not authenticate. */
  device: { name: "service.device", lifetime: DEVICE_LIFETIME },
  /** A receipt of an audit log entry. Does not identify the user. */
  logReceipt: { name: "service.witness", lifetime: DEVICE_LIFETIME },
  /** Binds authorization requests to a browser. Separate from `browser`, because it must survive a sign-in. */
  authorization: { name: "service.authorization", lifetime: PENDING_REQUEST_LIFETIME },
} as const;

export type CookieKind = keyof typeof COOKIES;

const KINDS = Object.keys(COOKIES) as CookieKind[];

/**
 * The prefix of cookies that a browser accepts from this host only, and on https only (RFC 6265bis section 4.1.3.2). A
 * sibling sub-domain can set a cookie of any other name, and sign a user in to another account with it.
 */
const HOST_PREFIX = "__Host-";

/** On https a session cookie counts only with this companion: the hash of its token. */
const COMPANION = `${HOST_PREFIX}service.session`;

function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith("https:");
}

/** Returns true if only the service's own origin can have set the cookie. */
function isHostPrefixed(kind: CookieKind, baseUrl: string): boolean {
  return kind !== "session" && isSecure(baseUrl);
}

function nameOf(kind: CookieKind, baseUrl: string): string {
  return isHostPrefixed(kind, baseUrl) ? HOST_PREFIX + COOKIES[kind].name : COOKIES[kind].name;
}

function findSessionCookie(cookies: readonly Cookie[]): string | undefined {
  const companion = findCookie(cookies, COMPANION);
  if (companion === undefined) return undefined;
  return findCookies(cookies, COOKIES.session.name).find((token) => hashSecret(token) === companion);
}

/** Returns undefined for none or two. Of two session cookies on https, the one with the companion counts. */
export function readServiceCookie(
  { cookies }: { readonly cookies: readonly Cookie[] },
  kind: CookieKind,
  baseUrl: string,
): string | undefined {
  if (kind === "session" && isSecure(baseUrl)) return findSessionCookie(cookies);
  return findCookie(cookies, nameOf(kind, baseUrl));
}

export function setServiceCookie(
  kind: Exclude<CookieKind, "session">,
  value: string,
  baseUrl: string,
): ExtraHeaders {
  const { lifetime } = COOKIES[kind];
  const options = { maxAgeSeconds: lifetime === undefined ? undefined : lifetime / SECOND, baseUrl };
  return [setCookie(nameOf(kind, baseUrl), value, options)];
}

/** Sets the cookie of a session for its longest lifetime, or until the browser is closed on a shared computer. */
export function setSessionCookie(
  token: string,
  { isShared }: Pick<Session, "isShared">,
  { baseUrl, sessionLifetimes }: {
    readonly baseUrl: string;
    readonly sessionLifetimes: SessionLifetimes;
  },
): ExtraHeaders {
  const options = { maxAgeSeconds: isShared ? undefined : sessionLifetimes.longest / SECOND, baseUrl };
  const cookie = setCookie(COOKIES.session.name, token, options);
  return isSecure(baseUrl) ? [cookie, setCookie(COMPANION, hashSecret(token), options)] : [cookie];
}

export function clearServiceCookie(kind: CookieKind, baseUrl: string): ExtraHeaders {
  const cookie = clearCookie(nameOf(kind, baseUrl), baseUrl);
  return kind === "session" && isSecure(baseUrl) ? [cookie, clearCookie(COMPANION, baseUrl)] : [cookie];
}

/** The number of path segments in which duplicates are deleted. No page has more. */
const DEEPEST = 8;

/** Returns every path that a cookie sent with this request may have (RFC 6265 section 5.1.4). */
function pathsOf(pathname: string): string[] {
  const paths = ["/"];
  let path = "";
  for (const segment of pathname.split("/").slice(1, DEEPEST + 1)) {
    if (!/^[\w.%~-]+$/.test(segment)) break;
    path += `/${segment}`;
    paths.push(path, `${path}/`);
  }
  return paths;
}

/** Returns every domain that a cookie sent to this host may have. Browsers reject one for a public suffix. */
function domainsOf(hostname: string): string[] {
  const labels = hostname.split(".");
  return labels.slice(0, -1).map((_label, index) => labels.slice(index).join("."));
}

/**
 * Returns the headers that delete duplicated cookies. Another site set one of them, and could lock the user out. The
 * session cookie with the companion stays. The headers must precede all others of a response, because they would delete
 * the cookies that it sets.
 */
export function clearDuplicateCookies(cookies: readonly Cookie[], url: URL, baseUrl: string): ExtraHeaders {
  if (cookies.length < 2) return [];
  const repeated = KINDS.filter((kind) =>
    !isHostPrefixed(kind, baseUrl) && isRepeated(cookies, COOKIES[kind].name)
  );
  return repeated.flatMap((kind) => {
    const isOneOurs = isSecure(baseUrl) && findSessionCookie(cookies) !== undefined;
    const domains = domainsOf(url.hostname);
    return pathsOf(url.pathname).flatMap((path) =>
      [...(isOneOurs ? [] : [undefined]), ...domains].map((domain) =>
        clearCookie(COOKIES[kind].name, baseUrl, { path, domain })
      )
    );
  });
}
