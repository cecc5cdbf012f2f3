import type { RateLimiter } from "../limits/rate-limit.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";

/** What the stories of sign-up and sign-in need besides the database. */
export interface AccountServices {
  readonly vault: Vault;
  readonly authority: RowAuthority;
  readonly limits: RateLimiter;
}
