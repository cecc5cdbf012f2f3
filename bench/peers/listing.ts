/** How a load generator signs people in at an authorization server, whoever made it. */
export interface ServerListing {
  readonly issuer: string;
  /** Origins in numbers: nobody's resolver is measured. */
  readonly address: string;
  readonly paths: Readonly<Record<"authorize" | "token" | "userinfo" | "keys", string>>;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly scope: string;
  /** `Cookie` headers of people who are signed in and agreed to the client, one for each. */
  readonly people: readonly string[];
}

/** A request that is sent over and over. */
export interface PlainRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What one such request asks for. */
export type PlainWork = "livez" | "session" | "list" | "sign" | "typedData";

/** What takes a program long to answer, of which somebody sends more than anybody needs. */
export type FloodWork = "explain" | "thousand";

/** What a program that is measured says of itself when it serves. */
export interface Listing {
  readonly address: string;
  /** A path that answers as soon as anything does. */
  readonly health: string;
  readonly requests: Readonly<Partial<Record<PlainWork, PlainRequest>>>;
  readonly floods?: Readonly<Record<FloodWork, PlainRequest>>;
  /** Of an authorization server. */
  readonly oauth?: ServerListing;
}

/** Where answers go at every server: https, so that consent is remembered. Nothing needs to listen there. */
export const REDIRECT_URI = "https://books.example/cb";

/** People at every server: no single one gets more grants than a person would have. */
export const PEOPLE = 300;

/** A challenge (RFC 7636 section 4.2) for consents that nothing comes of. */
export const SETUP_CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/** A jar of cookies as a `Cookie` header, with what an answer sets. */
export function mergeCookies(header: string, response: Response): string {
  const jar = new Map<string, string>();
  const lines = response.headers.getSetCookie().map((line) => line.split(";")[0]!);
  for (const pair of [...header.split("; "), ...lines]) {
    const equals = pair.indexOf("=");
    if (equals > 0) jar.set(pair.slice(0, equals), pair.slice(equals + 1));
  }
  return [...jar].filter(([, value]) => value !== "").map(([name, value]) => `${name}=${value}`).join("; ");
}
