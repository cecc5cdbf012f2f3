/** How long and on which origin a cookie lives. */
export interface CookieOptions {
  readonly maxAgeSeconds: number;
  /** `BASE_URL`: on https the cookie is Secure. */
  readonly baseUrl: string;
}

/** A cookie-value of RFC 6265 section 4.1.1. */
const COOKIE_VALUE = /^[!#-+\--:<-[\]-~]*$/;
const COOKIE_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * What stands around names and values (RFC 6265 section 5.2), and nothing else: with `trim` a name behind a byte 0xA0, which
 * browsers take from a sibling sub-domain, would be one that they take from us alone.
 */
const BLANKS = /^[ \t]+|[ \t]+$/g;

/** The values of all cookies of a name. */
export function readCookies(headers: Headers, name: string): readonly string[] {
  const found: string[] = [];
  for (const pair of headers.get("cookie")?.split(";") ?? []) {
    // Most are another, and cost the more to read whole.
    if (!pair.includes(name)) continue;
    const equals = pair.indexOf("=");
    if (equals < 0 || pair.slice(0, equals).replace(BLANKS, "") !== name) continue;
    found.push(pair.slice(equals + 1).replace(BLANKS, ""));
  }
  return found;
}

/**
 * The value of a cookie. Two cookies of one name count as none: which of them is ours cannot be told (a sibling
 * sub-domain can set the other).
 */
export function readCookie(headers: Headers, name: string): string | undefined {
  const found = readCookies(headers, name);
  return found.length === 1 ? found[0] : undefined;
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
  return [
    "set-cookie",
    `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`,
  ];
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
