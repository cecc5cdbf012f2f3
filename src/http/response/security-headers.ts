import { isLoopbackName } from "../../lib/ip-address.ts";

/** Exceptions of a page to the strict headers. */
export interface PagePolicy {
  /** `kept`: no `Cross-Origin-Opener-Policy`, for pages that an application opens in a pop-up to sign its user in. */
  readonly opener: "isolated" | "kept";
  /** `anywhere`: no CSP `form-action`, which would also block the redirect to a client after a form. */
  readonly formAction: "self" | "anywhere";
  /** The policy of Trusted Types that the page's script may create, for the URL of the service worker. */
  readonly trustedTypes?: "service-worker";
}

/**
 * Origins whose scripts may read a response. `any-origin`: all, without cookies (Fetch section 3.2). `token-bearers`:
 * all if the request has a token, otherwise the service's own.
 */
export type Readers = "own-origin" | "token-bearers" | "any-origin";

/** The kind of a response: for programs, for programs that expect OAuth errors (RFC 6749), or for a browser window. */
export type Surface =
  | { readonly kind: "api" | "oauth"; readonly readers: Readers }
  | { readonly kind: "page" } & PagePolicy;

export const API: Surface = { kind: "api", readers: "own-origin" };
/** Metadata that browser applications fetch. */
export const PUBLIC_API: Surface = { kind: "api", readers: "any-origin" };
/** Endpoints that programs call with a token, and pages with a cookie. */
export const FOR_TOKENS: Surface = { kind: "api", readers: "token-bearers" };
/** Endpoints that only servers call. */
export const OAUTH: Surface = { kind: "oauth", readers: "own-origin" };
/** Endpoints that browser applications call with their tokens and codes. */
export const PUBLIC_OAUTH: Surface = { kind: "oauth", readers: "any-origin" };
export const ORDINARY_PAGE: PagePolicy = { opener: "isolated", formAction: "self" };
/** Pages whose script registers the service worker. */
export const REGISTERS_WORKER: PagePolicy = { ...ORDINARY_PAGE, trustedTypes: "service-worker" };
/** Pages that an application opens in a pop-up to sign its user in. Isolation would separate the two windows. */
export const OPENED_BY_APPLICATIONS: PagePolicy = { opener: "kept", formAction: "self" };
/** Pages whose form redirects to an application. An isolating redirect would separate the pop-up as well. */
export const LEADS_TO_APPLICATIONS: PagePolicy = { opener: "kept", formAction: "anywhere" };

export type HeaderList = readonly (readonly [name: string, value: string])[];

const API_CSP = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const PAGE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const PERMISSIONS = [
  "publickey-credentials-create=(self)",
  "publickey-credentials-get=(self)",
  ...["camera", "display-capture", "geolocation", "microphone", "payment", "serial", "usb"]
    .map((feature) => `${feature}=()`),
].join(", ");

const FOR_OWN_ORIGIN: HeaderList = [["cross-origin-resource-policy", "same-origin"]];
const FOR_ANY_ORIGIN: HeaderList = [
  ["access-control-allow-origin", "*"],
  [
    "access-control-expose-headers",
    "DPoP-Nonce, Holdfast-Witness, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id",
  ],
  ["cross-origin-resource-policy", "cross-origin"],
];

const COMMON: HeaderList = [
  ["permissions-policy", PERMISSIONS],
  ["referrer-policy", "no-referrer"],
  ["x-content-type-options", "nosniff"],
  ["x-frame-options", "DENY"],
];

function contentSecurityPolicy(surface: Surface): string {
  if (surface.kind !== "page") return API_CSP;
  const policy = `${PAGE_CSP}; trusted-types ${surface.trustedTypes ?? "'none'"}`;
  return surface.formAction === "self" ? `${policy}; form-action 'self'` : policy;
}

/** The scope of HSTS (RFC 6797 section 6.1). `subdomains` blocks sub-domains without https for two years. */
export type StrictTransport = "host" | "subdomains";

const STRICT_TRANSPORT: Readonly<Record<StrictTransport, string>> = {
  host: "max-age=63072000",
  subdomains: "max-age=63072000; includeSubDomains",
};

/** Returns true on https, except for localhost: HSTS covers all ports of a host, and other services share localhost. */
function isStrictTransport(baseUrl: URL): boolean {
  return baseUrl.protocol === "https:" && !isLoopbackName(baseUrl.hostname);
}

export function securityHeaders(
  baseUrl: URL,
  surface: Surface,
  strictTransport: StrictTransport,
): HeaderList {
  const opener = surface.kind === "page" ? surface.opener : "isolated";
  const readers = surface.kind === "page" ? "own-origin" : surface.readers;
  return [
    ...COMMON,
    ...(readers === "any-origin" ? FOR_ANY_ORIGIN : FOR_OWN_ORIGIN),
    ["content-security-policy", contentSecurityPolicy(surface)],
    ...(opener === "isolated" ? [["cross-origin-opener-policy", "same-origin"] as const] : []),
    ...(isStrictTransport(baseUrl)
      ? [["strict-transport-security", STRICT_TRANSPORT[strictTransport]] as const]
      : []),
  ];
}
