/** Who passkeys are made for (WebAuthn Level 3 section 4, relying party). Follows from the base URL. */
export interface RelyingParty {
  /** The host of the origin. */
  readonly id: string;
  /** What people call the service. */
  readonly name: string;
  /** Scheme, host and port: the only origin ceremonies may run on. */
  readonly origin: string;
}
