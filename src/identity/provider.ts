import type { ProviderConnection } from "./provider-request.ts";

export interface OpenIdProviderConfig {
  readonly kind: "openid";
  /** Part of the redirect URI. Lower-case letters, digits and hyphens. */
  readonly id: string;
  readonly name: string;
  /** Exactly as in the provider's metadata and tokens. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Separated by spaces. Includes `openid`. */
  readonly scopes: string;
  /** `private` permits hosts of private networks. The issuer's own host is always allowed: the operator chose it. */
  readonly network?: "private";
}

export interface GitHubProviderConfig {
  readonly kind: "github";
  readonly id: "github";
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export type ProviderConfig = OpenIdProviderConfig | GitHubProviderConfig;

/** One sign-in attempt: the parameters of its request, which the callback must match. */
export interface Attempt {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** The query of the callback, with the names of repeated parameters. */
export interface CallbackParameters {
  readonly parameters: ReadonlyMap<string, string>;
  readonly repeated: ReadonlySet<string>;
}

/** A user at a provider. Issuer and subject identify them; the provider may change everything else. */
export interface ExternalIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string | undefined;
  /** Defined only if the provider claims to have verified it. Not normalised. */
  readonly verifiedEmail: string | undefined;
}

export interface IdentityProvider {
  readonly id: string;
  readonly name: string;
  /** `ExternalIdentity.issuer` of its users. */
  readonly issuer: string;
  /** Returns the authorization request to redirect the browser to (RFC 6749 section 4.1.1). Throws an IdentityError. */
  authorizationUrl(attempt: Attempt, connection: ProviderConnection): Promise<URL>;
  /**
   * Redeems the code in a callback and returns the user (RFC 6749 section 4.1.2). Does not check the state: the caller
   * found the attempt by it. Throws an IdentityError.
   */
  identify(
    callback: CallbackParameters,
    attempt: Attempt,
    connection: ProviderConnection,
  ): Promise<ExternalIdentity>;
}
