import type { ImportVerifier } from "../lib/crypto.ts";
import type { RateLimiter } from "../limits/rate-limit.ts";
import type { SessionLifetimes } from "./session/session-lifetimes.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";

export interface AccountServices {
  readonly vault: Vault;
  readonly authority: RowAuthority;
  readonly limits: RateLimiter;
  /** The lifetimes of new sessions; the usual ones by default. */
  readonly sessionLifetimes?: SessionLifetimes;
}

/** The relying party of passkeys (WebAuthn Level 3 section 4). */
export interface RelyingParty {
  /** The origin's host, a parent domain of it, or a domain that lists the origin as related (section 5.11). */
  readonly id: string;
  readonly name: string;
  /** Scheme, host and port: the only origin that ceremonies accept. */
  readonly origin: string;
  readonly importVerifier: ImportVerifier;
}
