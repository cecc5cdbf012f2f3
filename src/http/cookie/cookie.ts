export interface CookieOptions {
  /** undefined: until the browser is closed. */
  readonly maxAgeSeconds: number | undefined;
  /** `BASE_URL`: a cookie is Secure on https. */
  readonly baseUrl: string;
}

/** cookie-value of RFC 6265 section 4.1.1. */
const COOKIE_VALUE = /^[!#-+\--:<-[\]-~]*$/;
const COOKIE_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export interface Cookie {
  readonly name: string;
  readonly value: string;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/**
 * Trims spaces and tabs (RFC 6265 section 5.2), but nothing else. `trim` would also remove a byte 0xA0. Browsers accept
 * a `__Host-` name after that byte from a sibling sub-domain, and `trim` would make it look like the real one.
 */
function sliceWithin(text: string, start: number, end: number): string {
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (start < end && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Parses all cookies of a request, in their order. Called once a request, because several are looked up. */
export function readCookies(headers: Headers): readonly Cookie[] {
  const text = headers.get("cookie") ?? "";
  const cookies: Cookie[] = [];
  let equals = -1;
  for (let start = 0, end; start < text.length; start = end + 1) {
    const semicolon = text.indexOf(";", start);
    end = semicolon < 0 ? text.length : semicolon;
    // Searches again only after passing the last `=`: otherwise many pairs without one would take quadratic time.
    if (equals < start) equals = text.indexOf("=", start);
    if (equals < 0) break;
    if (equals > end) continue;
    cookies.push({ name: sliceWithin(text, start, equals), value: sliceWithin(text, equals + 1, end) });
  }
  return cookies;
}

export function findCookies(cookies: readonly Cookie[], name: string): readonly string[] {
  return cookies.filter((cookie) => cookie.name === name).map(({ value }) => value);
}

export function isRepeated(cookies: readonly Cookie[], name: string): boolean {
  let found = false;
  for (const cookie of cookies) {
    if (cookie.name !== name) continue;
    if (found) return true;
    found = true;
  }
  return false;
}

/** Returns undefined also if two cookies have the name: a sibling sub-domain can set one of them. */
export function findCookie(cookies: readonly Cookie[], name: string): string | undefined {
  return isRepeated(cookies, name) ? undefined : cookies.find((cookie) => cookie.name === name)?.value;
}

/** Formats a `Set-Cookie` header, Secure on https. Throws a TypeError for characters that are not allowed. */
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

/** The scope of a cookie that another site may have set. The service's own have no domain, and path `/`. */
export interface CookieScope {
  readonly path: string;
  readonly domain: string | undefined;
}

/** Formats a `Set-Cookie` header that deletes a cookie, by default in the scope of the service's own. */
export function clearCookie(
  name: string,
  baseUrl: string,
  { path, domain }: CookieScope = { path: "/", domain: undefined },
): readonly ["set-cookie", string] {
  const [header, text] = setCookie(name, "", { maxAgeSeconds: 0, baseUrl });
  const placed = text.replace("; Path=/;", `; Path=${path};`);
  return [header, domain === undefined ? placed : `${placed}; Domain=${domain}`];
}
