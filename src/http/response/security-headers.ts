import { isLoopbackName } from "../../lib/ip-address.ts";

/** What a page asks for beyond the strict headers. */
export interface PagePolicy {
  /** `kept`: no `Cross-Origin-Opener-Policy`, for the pages an application opens in a pop-up to sign its user in. */
  readonly opener: "isolated" | "kept";
  /** `anywhere`: no CSP `form-action`, which would also block the redirect to a client that follows a form. */
  readonly formAction: "self" | "anywhere";
}

/**
 * `anybody`: scripts of every origin may read the answer, and the browser adds no cookie of ours (Fetch section 3.2).
 * `token-bearers`: the same where the request brings a token, and only our own pages otherwise.
 */
export type Readers = "own-origin" | "token-bearers" | "anybody";

/**
 * Whether answers go to programs or to a browser's window; `oauth` is for programs that expect errors as RFC 6749 has
 * them.
 */
export type Surface =
  | { readonly kind: "api" | "oauth"; readonly readers: Readers }
  | { readonly kind: "page" } & PagePolicy;

export const API: Surface = { kind: "api", readers: "own-origin" };
/** What browser applications fetch to find out how to talk to us. */
export const PUBLIC_API: Surface = { kind: "api", readers: "anybody" };
/** What programs call with a token, and our pages with a cookie. */
export const FOR_TOKENS: Surface = { kind: "api", readers: "token-bearers" };
/** What only servers call. */
export const OAUTH: Surface = { kind: "oauth", readers: "own-origin" };
/** What browser applications call with their tokens and codes. */
export const PUBLIC_OAUTH: Surface = { kind: "oauth", readers: "anybody" };
export const ORDINARY_PAGE: PagePolicy = { opener: "isolated", formAction: "self" };
/** What an application opens in a pop-up to sign its user in: isolation would cut the two windows apart. */
export const OPENED_BY_APPLICATIONS: PagePolicy = { opener: "kept", formAction: "self" };
/**
 * Pages on the way to an application, to sign in or out: the answer to their form is a redirect to it. A redirect that
 * isolates would cut the pop-up off as well as a page.
 */
export const LEADS_TO_APPLICATIONS: PagePolicy = { opener: "kept", formAction: "anywhere" };

export type HeaderList = readonly (readonly [name: string, value: string])[];

const API_CSP = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const PAGE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const PERMISSIONS = [
  "publickey-credentials-create=(self)",
  "publickey-credentials-get=(self)",
  ...["camera", "display-capture", "geolocation", "microphone", "payment", "serial", "usb"]
    .map((feature) => `${feature}=()`),
].join(", ");

const FOR_OWN_ORIGIN: HeaderList = [["cross-origin-resource-policy", "same-origin"]];
const FOR_ANYBODY: HeaderList = [
  ["access-control-allow-origin", "*"],
  [
    "access-control-expose-headers",
    "DPoP-Nonce, Holdfast-Witness, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id",
  ],
  ["cross-origin-resource-policy", "cross-origin"],
];

/** The same for every answer. */
const COMMON: HeaderList = [
  ["permissions-policy", PERMISSIONS],
  ["referrer-policy", "no-referrer"],
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
];

function contentSecurityPolicy(surface: Surface): string {
  if (surface.kind !== "page") return API_CSP;
  return surface.formAction === "self" ? `${PAGE_CSP}; form-action 'self'` : PAGE_CSP;
}

/**
 * For which hosts browsers are to keep to https (RFC 6797 section 6.1): ours alone, or all below it too, which for two
 * years would lock people out of those that have none.
 */
export type StrictTransport = "host" | "subdomains";

const STRICT_TRANSPORT: Readonly<Record<StrictTransport, string>> = {
  host: "max-age=63072000",
  subdomains: "max-age=63072000; includeSubDomains",
};

/** A promise to use https is kept by the browser for the whole host with all its ports: localhost is not ours alone. */
function isStrictTransport(baseUrl: URL): boolean {
  return baseUrl.protocol === "https:" && !isLoopbackName(baseUrl.hostname);
}

/**
 * The security headers of every answer of a surface: CSP, HSTS on https, framing, isolation and who may read it.
 */
export function securityHeaders(
  baseUrl: URL,
  surface: Surface,
  strictTransport: StrictTransport,
): HeaderList {
  const opener = surface.kind === "page" ? surface.opener : "isolated";
  const readers = surface.kind === "page" ? "own-origin" : surface.readers;
  return [
    ...COMMON,
    ...(readers === "anybody" ? FOR_ANYBODY : FOR_OWN_ORIGIN),
    ["content-security-policy", contentSecurityPolicy(surface)],
    ...(opener === "isolated" ? [["cross-origin-opener-policy", "same-origin"] as const] : []),
    ...(isStrictTransport(baseUrl)
      ? [["strict-transport-security", STRICT_TRANSPORT[strictTransport]] as const]
      : []),
  ];
}
