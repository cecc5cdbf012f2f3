import type { ImportVerifier } from "../lib/crypto.ts";

/** Who passkeys are made for (WebAuthn Level 3 section 4, relying party). */
export interface RelyingParty {
  /** The host of the origin, a domain above it, or one whose related origins (section 5.11) the origin is among. */
  readonly id: string;
  /** What people call the service. */
  readonly name: string;
  /** Scheme, host and port: the only origin ceremonies may run on. */
  readonly origin: string;
  /** Imports the public keys of passkeys. */
  readonly importVerifier: ImportVerifier;
}
