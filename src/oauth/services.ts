import type { GroupCommit } from "../db/group-commit.ts";
import type { ImportVerifier } from "../lib/crypto.ts";
import type { RateLimiter } from "../limits/rate-limit.ts";
import type { ClientDocuments } from "./client/client-documents.ts";
import type { LogoutHosts } from "./client/logout-uri.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";

export interface OAuthServices {
  readonly vault: Vault;
  readonly authority: RowAuthority;
  readonly limits: RateLimiter;
  readonly groupCommit: GroupCommit;
  /** The base URL, identical to every `iss`. */
  readonly issuer: string;
  readonly logoutHosts: LogoutHosts;
  readonly importVerifier: ImportVerifier;
  readonly clientDocuments: ClientDocuments;
}
