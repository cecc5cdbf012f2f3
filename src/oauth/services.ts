import type { GroupCommit } from "../db/group-commit.ts";
import type { ImportVerifier } from "../lib/crypto.ts";
import type { RateLimiter } from "../limits/rate-limit.ts";
import type { LogoutHosts } from "./client/logout-uri.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";

/** What the authorization server needs besides the database. */
export interface OAuthServices {
  readonly vault: Vault;
  readonly authority: RowAuthority;
  readonly limits: RateLimiter;
  readonly groupCommit: GroupCommit;
  /** The base URL: `iss` everywhere, byte for byte. */
  readonly issuer: string;
  /** Where applications may be told of logouts. */
  readonly logoutHosts: LogoutHosts;
  /** Imports the public keys of DPoP proofs. */
  readonly importVerifier: ImportVerifier;
}
