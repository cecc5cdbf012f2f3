import type { ImportVerifier } from "../lib/crypto.ts";
import type { RateLimiter } from "../limits/rate-limit.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";

/** What the stories of sign-up and sign-in need besides the database. */
export interface AccountServices {
  readonly vault: Vault;
  readonly authority: RowAuthority;
  readonly limits: RateLimiter;
}

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
