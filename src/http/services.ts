import type { RelyingParty } from "../accounts/services.ts";
import type { SignUpRule } from "../accounts/sign-up-rule.ts";
import type { Witness } from "../audit/log-receipt.ts";
import type { GroupCommit } from "../db/group-commit.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Directory } from "../clear-signing/directory.ts";
import type { ImportVerifier } from "../lib/crypto.ts";
import type { Outgoing } from "../lib/outgoing.ts";
import type { IdentityProviders } from "../identity/providers.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { RateLimiter } from "../limits/rate-limit.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { LogoutHosts } from "../oauth/client/logout-uri.ts";
import type { Tee } from "../tee/tee.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Vault } from "../vault/vault.ts";

/** Everything the endpoints stand on. Each family of endpoints picks what it needs; nothing here gives out a secret. */
export interface Services {
  readonly db: Db;
  readonly groupCommit: GroupCommit;
  readonly vault: Vault;
  readonly authority: RowAuthority;
  readonly witness: Witness;
  readonly limits: RateLimiter;
  readonly tee: Tee;
  readonly mailer: Mailer;
  /** Where mails go: to their address, to the development outbox only, or nowhere, so that there are no codes. */
  readonly mailDelivery: "sent" | "outbox" | "none";
  /** Who may make an account. */
  readonly signUp: SignUpRule;
  readonly identityProviders: IdentityProviders;
  readonly outgoing: Outgoing;
  /** Where applications may be told of logouts. */
  readonly logoutHosts: LogoutHosts;
  /** Imports the public keys of DPoP proofs. */
  readonly importVerifier: ImportVerifier;
  /** What is known of tokens and contracts, by which signatures are explained. */
  readonly directory: Directory;
  readonly random: RandomBytes;
  readonly relyingParty: RelyingParty;
  /** Origins whose pages may use its passkeys besides. */
  readonly relatedOrigins: readonly string[];
  readonly baseUrl: string;
  /** The `iss` of tokens: the base URL. */
  readonly issuer: string;
  /** Base64url SHA-256 of the public configuration, for the claims of a quote. */
  readonly configurationHash: string;
  /** SHA-256 of the admin key. */
  readonly adminKeyHash: Uint8Array;
  /** Ids and addresses of the accounts that may open the administrator's pages with a fresh passkey. */
  readonly adminAccounts: readonly string[];
  /** Why the service should get no traffic now; empty while it should. */
  readonly unreadyReasons: () => Promise<readonly string[]>;
}
