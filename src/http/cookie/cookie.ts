/** How long and on which origin a cookie lives. */
export interface CookieOptions {
  /** Undefined: until the browser is closed. */
  readonly maxAgeSeconds: number | undefined;
  /** `BASE_URL`: on https the cookie is Secure. */
  readonly baseUrl: string;
}

/** A cookie-value of RFC 6265 section 4.1.1. */
const COOKIE_VALUE = /^[!#-+\--:<-[\]-~]*$/;
const COOKIE_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** A cookie that a request brought. */
export interface Cookie {
  readonly name: string;
  readonly value: string;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/**
 * A part of a text without the blanks and tabs around it (RFC 6265 section 5.2), and nothing else: with `trim` a name
 * behind a byte 0xA0, which browsers take from a sibling sub-domain, would be one that they take from us alone.
 */
function sliceWithin(text: string, start: number, end: number): string {
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (start < end && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** All cookies of a request, in their order: they are read once, and several are looked for. */
export function readCookies(headers: Headers): readonly Cookie[] {
  const text = headers.get("cookie") ?? "";
  const cookies: Cookie[] = [];
  let equals = -1;
  for (let start = 0, end; start < text.length; start = end + 1) {
    const semicolon = text.indexOf(";", start);
    end = semicolon < 0 ? text.length : semicolon;
    // Not looked for again while it lies ahead: a long row of pairs without one would be read once for each.
    if (equals < start) equals = text.indexOf("=", start);
    if (equals < 0) break;
    if (equals > end) continue;
    cookies.push({ name: sliceWithin(text, start, equals), value: sliceWithin(text, equals + 1, end) });
  }
  return cookies;
}

/** The values of all cookies of a name. */
export function findCookies(cookies: readonly Cookie[], name: string): readonly string[] {
  return cookies.filter((cookie) => cookie.name === name).map(({ value }) => value);
}

/** Whether there are two cookies of a name. */
export function isRepeated(cookies: readonly Cookie[], name: string): boolean {
  let found = false;
  for (const cookie of cookies) {
    if (cookie.name !== name) continue;
    if (found) return true;
    found = true;
  }
  return false;
}

/**
 * The value of a cookie. Two cookies of one name count as none: which of them is ours cannot be told (a sibling
 * sub-domain can set the other).
 */
export function findCookie(cookies: readonly Cookie[], name: string): string | undefined {
  return isRepeated(cookies, name) ? undefined : cookies.find((cookie) => cookie.name === name)?.value;
}

/** A `Set-Cookie` header: HttpOnly, Lax, for the whole origin and this host alone, Secure on https. */
export function setCookie(
  name: string,
  value: string,
  { maxAgeSeconds, baseUrl }: CookieOptions,
): readonly ["set-cookie", string] {
  if (!COOKIE_NAME.test(name) || !COOKIE_VALUE.test(value)) {
    throw new TypeError("Cannot set cookie: character not allowed");
  }
  const secure = baseUrl.startsWith("https:") ? "; Secure" : "";
  const maxAge = maxAgeSeconds === undefined ? "" : `; Max-Age=${maxAgeSeconds}`;
  return ["set-cookie", `${name}=${value}; Path=/${maxAge}; HttpOnly; SameSite=Lax${secure}`];
}

/** Where a cookie of somebody else's making may lie: none of ours has a domain, or another path than `/`. */
export interface CookiePlace {
  readonly path: string;
  readonly domain: string | undefined;
}

/** A `Set-Cookie` header that makes the browser forget the cookie, by default ours. */
export function clearCookie(
  name: string,
  baseUrl: string,
  { path, domain }: CookiePlace = { path: "/", domain: undefined },
): readonly ["set-cookie", string] {
  const [header, text] = setCookie(name, "", { maxAgeSeconds: 0, baseUrl });
  const placed = text.replace("; Path=/;", `; Path=${path};`);
  return [header, domain === undefined ? placed : `${placed}; Domain=${domain}`];
}
