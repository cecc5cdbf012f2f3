import { DEVICE_LIFETIME } from "../../db/retention.ts";
import { SESSION_LIFETIME } from "../../accounts/session/session.ts";
import { hashSecret } from "../../accounts/session/bearer-secret.ts";
import { SIGN_IN_TICKET_LIFETIME } from "../../accounts/identity/sign-in-ticket.ts";
import { LONGEST_RECOVERY } from "../../accounts/recovery/recovery-settings.ts";
import { TICKET_LIFETIME } from "../../accounts/sign-up-ticket.ts";
import { DAY, HOUR, SECOND } from "../../lib/time.ts";
import { PENDING_REQUEST_LIFETIME } from "../../oauth/authorize/pending-request.ts";
import { clearCookie, findCookie, findCookies, isRepeated, setCookie } from "./cookie.ts";
import type { Cookie } from "./cookie.ts";
import type { ExtraHeaders } from "../response/respond.ts";

/** Every cookie of the service: its name, and for how long a browser keeps it. */
const COOKIES = {
  /** Its name is part of the API, so it can have no prefix. */
  session: { name: "service.session_token", lifetime: SESSION_LIFETIME },
  ticket: { name: "service.sign_up", lifetime: TICKET_LIFETIME },
  /** By which invitation an account may be made. */
  invitation: { name: "service.invitation", lifetime: DAY },
  /** Opens the administrator's pages. The browser forgets it when it is closed. */
  administration: { name: "service.administration", lifetime: undefined },
  /** Whose passkey is asked for, after another provider named the person. */
  signIn: { name: "service.sign_in", lifetime: SIGN_IN_TICKET_LIFETIME },
  browser: { name: "service.pre_session", lifetime: HOUR },
  /** Shows that a recovery was begun in this browser. It takes a code again to finish it. */
  recovery: { name: "service.recovery", lifetime: LONGEST_RECOVERY },
  /** Known to the accounts that were signed in to from this browser. It signs nobody in. */
  device: { name: "service.device", lifetime: DEVICE_LIFETIME },
  /** Shows that the audit log had an entry. It says nothing of whoever brings it. */
  witness: { name: "service.witness", lifetime: DEVICE_LIFETIME },
  /** Ties authorization requests to a browser. Apart from `browser`, because it must outlive signing in. */
  authorization: { name: "service.authorization", lifetime: PENDING_REQUEST_LIFETIME },
} as const;

export type CookieKind = keyof typeof COOKIES;

const KINDS = Object.keys(COOKIES) as CookieKind[];

/**
 * Browsers take a cookie of such a name from this host alone (RFC 6265bis section 4.1.3.2): a sibling sub-domain can set
 * one of any other name for us too, and sign people in as somebody else with it. It takes https.
 */
const HOST_PREFIX = "__Host-";

/** On https beside the session cookie, which counts only with it: the hash of that cookie's token. */
const COMPANION = `${HOST_PREFIX}service.session`;

function isSecure(baseUrl: string): boolean {
  return baseUrl.startsWith("https:");
}

/** Whether only our own origin can have set a cookie of that name. */
function isOursAlone(kind: CookieKind, baseUrl: string): boolean {
  return kind !== "session" && isSecure(baseUrl);
}

function nameOf(kind: CookieKind, baseUrl: string): string {
  return isOursAlone(kind, baseUrl) ? HOST_PREFIX + COOKIES[kind].name : COOKIES[kind].name;
}

/** Of the session cookies that came, the one that its companion goes with. */
function findSessionCookie(cookies: readonly Cookie[]): string | undefined {
  const companion = findCookie(cookies, COMPANION);
  if (companion === undefined) return undefined;
  return findCookies(cookies, COOKIES.session.name).find((token) => hashSecret(token) === companion);
}

/**
 * The value of one of our cookies; undefined when the request has none, or two. Of two session cookies on https, only
 * one has the companion, and counts.
 */
export function readOurCookie(
  { cookies }: { readonly cookies: readonly Cookie[] },
  kind: CookieKind,
  baseUrl: string,
): string | undefined {
  if (kind === "session" && isSecure(baseUrl)) return findSessionCookie(cookies);
  return findCookie(cookies, nameOf(kind, baseUrl));
}

/** The headers that give a browser one of our cookies. */
export function giveCookie(kind: CookieKind, value: string, baseUrl: string): ExtraHeaders {
  const { lifetime } = COOKIES[kind];
  const options = { maxAgeSeconds: lifetime === undefined ? undefined : lifetime / SECOND, baseUrl };
  const cookie = setCookie(nameOf(kind, baseUrl), value, options);
  if (kind !== "session" || !isSecure(baseUrl)) return [cookie];
  return [cookie, setCookie(COMPANION, hashSecret(value), options)];
}

/** The headers that take one of our cookies from a browser. */
export function takeCookie(kind: CookieKind, baseUrl: string): ExtraHeaders {
  const cookie = clearCookie(nameOf(kind, baseUrl), baseUrl);
  return kind === "session" && isSecure(baseUrl) ? [cookie, clearCookie(COMPANION, baseUrl)] : [cookie];
}

/** Folders of a path that a cookie is looked for in; no page of ours lies deeper. */
const DEEPEST = 8;

/** Every path that a cookie can have which came with a request for this one (RFC 6265 section 5.1.4). */
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

/** Every domain that a cookie can have been set for which came to this host; a public suffix takes none. */
function domainsOf(hostname: string): string[] {
  const labels = hostname.split(".");
  return labels.slice(0, -1).map((_label, index) => labels.slice(index).join("."));
}

/**
 * The headers that have a browser forget those cookies of ours of which a request brought two: one of them is somebody
 * else's, and who sets it must not lock anybody out. The session cookie that has its companion stays. They belong before
 * all others of an answer, because they would take away what it sets.
 */
export function forgetDuplicates(cookies: readonly Cookie[], url: URL, baseUrl: string): ExtraHeaders {
  const repeated = KINDS.filter((kind) =>
    !isOursAlone(kind, baseUrl) && isRepeated(cookies, COOKIES[kind].name)
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
