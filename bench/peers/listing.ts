/** The data with which a load generator signs users in at any authorization server. */
export interface ServerListing {
  readonly issuer: string;
  /** The origin with a numeric address, so that no resolver is measured. */
  readonly address: string;
  readonly paths: Readonly<Record<"authorize" | "token" | "userinfo" | "keys", string>>;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly scope: string;
  /** The `Cookie` headers of signed-in users who consented to the client. */
  readonly people: readonly string[];
}

export interface PlainRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type PlainWork = "livez" | "session" | "list" | "sign" | "typedData";

/** The slow requests of a flood. */
export type FloodWork = "explain" | "thousand";

/** A request that is meant to make others wait. */
export interface WorstRequest extends PlainRequest {
  readonly name: string;
}

/** The self-description of a measured program when it serves. */
export interface Listing {
  readonly address: string;
  /** A path that responds as soon as the program serves. */
  readonly health: string;
  readonly requests: Readonly<Partial<Record<PlainWork, PlainRequest>>>;
  readonly floods?: Readonly<Record<FloodWork, PlainRequest>>;
  readonly worst?: readonly WorstRequest[];
  /** Set for an authorization server. */
  readonly oauth?: ServerListing;
}

/** The redirect URI at every server. It is https, so that consent is remembered. Nothing has to listen there. */
export const REDIRECT_URI = "https://books.example/cb";

/** Users at every server: enough that none gets more grants than a real user would have. */
export const PEOPLE = 300;

/** A challenge (RFC 7636 section 4.2) for consents whose code is not redeemed. */
export const SETUP_CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/** Merges the cookies that a response sets into a `Cookie` header. */
export function mergeCookies(header: string, response: Response): string {
  const jar = new Map<string, string>();
  const lines = response.headers.getSetCookie().map((line) => line.split(";")[0]!);
  for (const pair of [...header.split("; "), ...lines]) {
    const equals = pair.indexOf("=");
    if (equals > 0) jar.set(pair.slice(0, equals), pair.slice(equals + 1));
  }
  return [...jar].filter(([, value]) => value !== "").map(([name, value]) => `${name}=${value}`).join("; ");
}
