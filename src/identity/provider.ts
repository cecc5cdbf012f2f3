import type { Line } from "./provider-request.ts";

/** A provider of OpenID Connect, as configured. */
export interface OpenIdProviderConfig {
  readonly kind: "openid";
  /** Part of the redirect URI: lower-case letters, digits and hyphens. */
  readonly id: string;
  /** What people call it. */
  readonly name: string;
  /** Exactly as its metadata and tokens spell it. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Separated by spaces; `openid` among them. */
  readonly scopes: string;
  /** Whether it may name hosts of private networks besides its issuer's, which the operator has named himself. */
  readonly network?: "private";
}

/** GitHub, which speaks OAuth but not OpenID Connect. */
export interface GitHubProviderConfig {
  readonly kind: "github";
  readonly id: "github";
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export type ProviderConfig = OpenIdProviderConfig | GitHubProviderConfig;

/** One try to sign in: what the provider is given and must give back. */
export interface Attempt {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The parameters that a browser brought back from a provider, and the names of those that came more than once. */
export interface CallbackParameters {
  readonly parameters: ReadonlyMap<string, string>;
  readonly repeated: ReadonlySet<string>;
}

/** Who somebody is to a provider. Issuer and subject name them; everything else is only what the provider says. */
export interface ExternalIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string | undefined;
  /** Only where the provider says that it verified the address. As it came: not normalised. */
  readonly verifiedEmail: string | undefined;
}

/** Somebody else's service that people sign in with. */
export interface IdentityProvider {
  readonly id: string;
  readonly name: string;
  /** Under which it names people: `ExternalIdentity.issuer`. */
  readonly issuer: string;
  /** Where to send the browser (RFC 6749 section 4.1.1). Throws an IdentityError. */
  authorizationUrl(attempt: Attempt, line: Line): Promise<URL>;
  /**
   * Who came back, by what the browser brought and what the provider then says (RFC 6749 section 4.1.2). Throws an
   * IdentityError. Does not check the state: by it the attempt was found.
   */
  identify(callback: CallbackParameters, attempt: Attempt, line: Line): Promise<ExternalIdentity>;
}
