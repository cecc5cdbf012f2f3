type Faults = string[];

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Second-level names of country registries, as in co.uk and com.au. */
const COUNTRY_REGISTRIES = [
  "ac",
  "co",
  "com",
  "edu",
  "gob",
  "gov",
  "go",
  "mil",
  "ne",
  "net",
  "nom",
  "or",
  "org",
];

/** Hosting services whose customers own names below these. */
const SHARED_HOSTS = [
  "amplifyapp.com",
  "azurewebsites.net",
  "cloudfront.net",
  "duckdns.org",
  "dyndns.org",
  "fly.dev",
  "github.io",
  "gitlab.io",
  "herokuapp.com",
  "netlify.app",
  "ngrok.io",
  "nip.io",
  "pages.dev",
  "sslip.io",
  "ts.net",
  "vercel.app",
  "web.app",
  "workers.dev",
];

/** Browsers need not read more related origins (WebAuthn Level 3 section 5.11). */
const MOST_ORIGINS = 5;

/** Knows only a short list. Browsers refuse passkeys for all of publicsuffix.org. */
function isPublicSuffix(name: string): boolean {
  const labels = name.split(".");
  const isCountrys = labels.length === 2 && labels[1]!.length === 2 &&
    COUNTRY_REGISTRIES.includes(labels[0]!);
  return labels.length < 2 || isCountrys || SHARED_HOSTS.includes(name);
}

/** Reads `RP_ID`; undefined = the host of `BASE_URL`. */
export function readRpId(text: string, faults: Faults): string | undefined {
  if (text === "") return undefined;
  const labels = text.split(".");
  const isName = text.length <= 253 && labels.every((label) => LABEL.test(label)) &&
    !/^\d+$/.test(labels.at(-1)!);
  if (!isName) {
    faults.push(
      "RP_ID must be a host name in lower case, without scheme, port or path, and not an IP address",
    );
  }
  return text;
}

/** Reads `RELATED_ORIGINS`, separated by spaces or commas. */
export function readRelatedOrigins(text: string, faults: Faults): readonly string[] {
  const origins = text.split(/[\s,]+/).filter((one) => one !== "");
  for (const origin of origins) {
    const url = URL.parse(origin);
    if (url?.protocol !== "https:" || url.origin !== origin || /^[\d.]+$|^\[/.test(url.hostname)) {
      faults.push(
        "RELATED_ORIGINS must be https origins in their plain form: scheme, host and port, no path",
      );
      return origins;
    }
  }
  if (origins.length > MOST_ORIGINS) {
    faults.push(`RELATED_ORIGINS must be at most ${MOST_ORIGINS}: browsers need not read more`);
  }
  return origins;
}

/**
 * Adds a fault for an `RP_ID` that browsers would reject. It must be the host of `BASE_URL` or a registrable parent
 * domain (WebAuthn Level 3 section 5.1.3 step 8). Otherwise the origin must be a related one.
 */
export function checkRelyingParty(
  { baseUrl, rpId, relatedOrigins }: {
    readonly baseUrl: string | undefined;
    readonly rpId: string | undefined;
    readonly relatedOrigins: readonly string[];
  },
  faults: Faults,
): void {
  if (rpId === undefined) return;
  const url = baseUrl === undefined ? null : URL.parse(baseUrl);
  if (url === null) {
    faults.push("RP_ID needs BASE_URL: passkeys belong to a known host");
    return;
  }
  if (rpId === url.hostname) return;
  if (isPublicSuffix(rpId)) {
    faults.push("RP_ID must be a domain of your own: anyone can register a name below this one");
    return;
  }
  if (url.hostname.endsWith(`.${rpId}`) || relatedOrigins.includes(url.origin)) return;
  faults.push(
    "RP_ID must be the host of BASE_URL or a domain above it; to serve its passkeys from elsewhere, " +
      "name that origin in RELATED_ORIGINS",
  );
}
