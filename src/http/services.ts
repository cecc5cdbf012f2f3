import type { RelyingParty } from "../accounts/services.ts";
import type { SessionLifetimes } from "../accounts/session/session-lifetimes.ts";
import type { SignUpRule } from "../accounts/sign-up-rule.ts";
import type { LogReceiptService } from "../audit/log-receipt.ts";
import type { GroupCommit } from "../db/group-commit.ts";
import type { Db } from "../db/schema/schema.ts";
import type { Directory } from "../clear-signing/directory.ts";
import type { ImportVerifier } from "../lib/crypto.ts";
import type { DeliveryWorker } from "../lib/delivery-worker.ts";
import type { AllowedHosts, Outgoing } from "../lib/outgoing.ts";
import type { IdentityProviders } from "../identity/providers.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { RequestRateLimiter } from "../limits/rate-limit.ts";
import type { Mailer } from "../mail/mailer.ts";
import type { ClientDocuments } from "../oauth/client/client-documents.ts";
import type { LogoutHosts } from "../oauth/client/logout-uri.ts";
import type { Tee } from "../tee/tee.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { Brand } from "../ui/brand.ts";
import type { Vault } from "../vault/vault.ts";

/** The services of all endpoints. Each endpoint family picks what it needs. Nothing here exposes a secret. */
export interface Services {
  readonly db: Db;
  readonly groupCommit: GroupCommit;
  readonly vault: Vault;
  readonly authority: RowAuthority;
  readonly logReceipt: LogReceiptService;
  readonly limits: RequestRateLimiter;
  readonly tee: Tee;
  readonly mailer: Mailer;
  /** Delivery of mail: to the recipient, to the development outbox only, or none, so that there are no codes. */
  readonly mailDelivery: "sent" | "outbox" | "none";
  readonly signUp: SignUpRule;
  readonly sessionLifetimes: SessionLifetimes;
  readonly identityProviders: IdentityProviders;
  readonly outgoing: Outgoing;
  readonly logoutHosts: LogoutHosts;
  readonly clientDocuments: ClientDocuments;
  /** The hosts that webhooks and push messages may be sent to. */
  readonly webhookHosts: AllowedHosts;
  /** Sends deliveries of webhooks. */
  readonly webhookDelivery: Pick<DeliveryWorker, "wake">;
  /** The public key of push messages (RFC 8292); undefined if there are none. */
  readonly pushKey: string | undefined;
  readonly importVerifier: ImportVerifier;
  /** Known tokens and contracts, used to explain signatures. */
  readonly directory: Directory;
  readonly metrics: Metrics;
  readonly random: RandomBytes;
  readonly relyingParty: RelyingParty;
  /** The name and logo on pages. */
  readonly brand: Brand;
  /** Further origins whose pages may use passkeys of this service. */
  readonly relatedOrigins: readonly string[];
  readonly baseUrl: string;
  /** The `iss` of tokens: the base URL. */
  readonly issuer: string;
  /** Base64url SHA-256 of the public configuration, for the claims of a quote. */
  readonly configurationHash: string;
  readonly adminKeyHash: Uint8Array;
  /** Ids and addresses of the accounts that may open the administrator's pages with a fresh passkey. */
  readonly adminAccounts: readonly string[];
  /** Returns why the service must not get traffic; empty if it is ready. */
  readonly unreadyReasons: () => Promise<readonly string[]>;
}
