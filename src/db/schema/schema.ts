import type { Kysely } from "kysely";
import type { IdempotentAnswerTable } from "./idempotency.ts";
import type { Instant } from "../../lib/time.ts";
import type { AdministrationTables } from "./administration.ts";
import type { AccountChangeTables, RecoveryTables } from "./account.ts";
import type { BrokerTables } from "./broker.ts";
import type { OAuthTables } from "./oauth.ts";
import type { SigningRequestTables } from "./signing-request.ts";
import type { TokenTables } from "./token.ts";

/**
 * The tables, one interface each. Times are milliseconds since 1970, ids are text, bytes are blobs. Rows with a `mac`
 * grant authority. `vault/authority.ts` lists the columns that the MAC covers, and what editing one of the others
 * would gain.
 */

/** The root seed, sealed under the TEE's sealing key. One row for the life of the database. */
export interface SealedSeedTable {
  id: number;
  version: number;
  seal_key_id: string;
  sealed: Uint8Array;
  created_at: Instant;
}

/** A user account. `id` is also the WebAuthn user handle. */
export interface AccountTable {
  id: string;
  /** Lower case, as `accounts/email/email.ts` normalises it. */
  email: string | null;
  name: string | null;
  /** BCP 47 tag of the language of pages and mails. */
  language: string;
  created_at: Instant;
  /** The time at which an administrator disabled it; null while enabled. */
  disabled_at: Instant | null;
  /** Increases with every change, so that no two versions of a row are equal; null before the first change. */
  revision: number | null;
  mac: Uint8Array;
}

/** A 6-digit code sent to an address. One row per address, purpose and browser: a new code replaces it. */
export interface EmailCodeTable {
  id: string;
  email: string;
  purpose: string;
  /** SHA-256 of the pre-session cookie's secret, base64url. */
  browser_hash: string;
  /** MAC of the code under a vault key: a plain hash of six digits can be searched at once. */
  code_mac: Uint8Array;
  attempts: number;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** The right to create one account, held by a browser that verified an address or an external identity. */
export interface SignUpTicketTable {
  id: string;
  secret_hash: string;
  /** Generated in advance, because the passkey is created for it before the account exists. */
  account_id: string;
  /** Verified; null if the other provider does not vouch for one. */
  email: string | null;
  /** Unverified, as reported by the other provider. */
  name: string | null;
  /** The identity to link to the account. Both null for none. */
  issuer: string | null;
  subject: string | null;
  created_at: Instant;
  expires_at: Instant;
  /** The invitation used for it; null for none. */
  invitation_id: string | null;
  mac: Uint8Array;
}

/** A link from an identity at another provider to an account. It selects the account; it does not sign in. */
export interface IdentityTable {
  id: string;
  issuer: string;
  /** The permanent identifier at that issuer, never an address. */
  subject: string;
  account_id: string;
  created_at: Instant;
  mac: Uint8Array;
}

/** A pending redirect to another provider. Consumed by deletion when the browser returns. */
export interface IdentityRequestTable {
  provider: string;
  /** SHA-256 of the state, base64url. Nonce and code verifier are derived from the state with a vault key. */
  state_hash: string;
  /** SHA-256 of the pre-session cookie's secret, base64url. */
  browser_hash: string;
  /** The query with which the browser continues: `request=…`, `next=…` or empty. */
  onward: string;
  created_at: Instant;
  expires_at: Instant;
  /** The session whose account the identity will be linked to; null for a sign-in. */
  session_id: string | null;
  mac: Uint8Array;
}

/** A pending sign-in to the account that another provider identified, which still needs its passkey. */
export interface SignInTicketTable {
  id: string;
  secret_hash: string;
  account_id: string;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** A WebAuthn challenge, consumed by deletion. */
export interface ChallengeTable {
  kind: "registration" | "authentication" | "step_up";
  /** 32 random bytes, base64url. */
  challenge: string;
  /** `ticket:<id>`, `recovery:<id>`, `session:<id>` or `browser:<hash>`; for a step-up `session:<id>/<action>`. */
  bound_to: string;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** A WebAuthn credential record (Level 3 section 4). */
export interface PasskeyTable {
  id: string;
  account_id: string;
  credential_id: Uint8Array;
  /** The COSE key exactly as the authenticator sent it. */
  public_key: Uint8Array;
  algorithm: number;
  aaguid: string;
  backup_eligible: number;
  backed_up: number;
  sign_count: number;
  name: string;
  /** JSON array of WebAuthn transport names. */
  transports: string;
  created_at: Instant;
  last_used_at: Instant | null;
  mac: Uint8Array;
}

/** A signed-in browser. */
export interface SessionTable {
  id: string;
  secret_hash: string;
  account_id: string;
  passkey_id: string;
  /** The `account_device` it was opened from, which may be deleted already. */
  device_id: string;
  /** Browser and system, as `accounts/session/user-agent.ts` formats them. */
  device: string;
  /** The network prefix of the sign-in. */
  network: string;
  created_at: Instant;
  authenticated_at: Instant;
  /** The action that the last step-up confirmed; null once it was performed. */
  step_up_action: string | null;
  stepped_up_at: Instant | null;
  /** The absolute expiry; the idle expiry follows from `last_seen_at`. */
  expires_at: Instant;
  last_seen_at: Instant;
  mac: Uint8Array;
}

/** A browser from which the account was signed in to. */
export interface AccountDeviceTable {
  id: string;
  account_id: string;
  /** SHA-256 of the device cookie's secret, base64url. */
  secret_hash: string;
  created_at: Instant;
  last_seen_at: Instant;
  mac: Uint8Array;
}

/** A deleted passkey, kept to tell a person who still uses it that it was deleted. `id` is the passkey's. */
export interface RemovedPasskeyTable {
  id: string;
  account_id: string;
  credential_id: Uint8Array;
  public_key: Uint8Array;
  algorithm: number;
  backup_eligible: number;
  sign_count: number;
  created_at: Instant;
  mac: Uint8Array;
}

export type BlindSigning = "allow" | "guard" | "deny";

/** An Ethereum key. The private key is not stored: it is derived for each signature. */
export interface EthereumKeyTable {
  id: string;
  account_id: string;
  key_index: number;
  address: Uint8Array;
  public_key: Uint8Array;
  label: string;
  blind_signing: BlindSigning;
  created_at: Instant;
  archived_at: Instant | null;
  /** Increases with every change, so that no two versions of a row are equal; null before the first change. */
  revision: number | null;
  /** The signing policy, canonical JSON; null allows everything. */
  policy: string | null;
  /** The policy from `policy_change_at` on; JSON `null` for none. Both columns are null without a pending change. */
  policy_change: string | null;
  policy_change_at: Instant | null;
  mac: Uint8Array;
}

/**
 * A mail, sealed by the vault with its id, age and expiry as additional data. `attempts` and `next_attempt_at` are not
 * authenticated. A database attacker who edits them can delay a mail, or have it sent again to the same address before
 * it expires. Deleting the row would withhold it too.
 */
export interface OutboxTable {
  id: string;
  sealed: Uint8Array;
  created_at: Instant;
  expires_at: Instant;
  /** The number of attempts that were started. */
  attempts: number;
  /** The time of the next attempt. A process moves it ahead before it tries, to keep other processes away. */
  next_attempt_at: Instant;
}

/** A token bucket, stored as the time at which it is full again (GCRA). */
export interface RateLimitTable {
  name: string;
  subject: string;
  full_at: Instant;
}

/** The audit log: append-only, each entry chained to the previous one. */
export interface AuditEventTable {
  seq: number;
  at: Instant;
  event: string;
  account_id: string | null;
  /** The id of the affected row: a key, passkey, session or other. */
  subject: string | null;
  /** JSON of the event's further members. */
  detail: string;
  /** SHA-256 over the previous hash and this entry. */
  hash: Uint8Array;
  /** Vault MAC over `seq` and `hash`. */
  mac: Uint8Array;
}

/** The verified part of the audit log. One row, so that the next start need not verify that part again. */
export interface AuditCheckpointTable {
  id: number;
  seq: number;
  hash: Uint8Array;
  /** Vault MAC over `seq` and `hash`. */
  mac: Uint8Array;
}

export interface Tables
  extends
    OAuthTables,
    BrokerTables,
    TokenTables,
    SigningRequestTables,
    AdministrationTables,
    RecoveryTables,
    AccountChangeTables {
  sealed_seed: SealedSeedTable;
  account: AccountTable;
  email_code: EmailCodeTable;
  sign_up_ticket: SignUpTicketTable;
  identity: IdentityTable;
  identity_request: IdentityRequestTable;
  sign_in_ticket: SignInTicketTable;
  challenge: ChallengeTable;
  passkey: PasskeyTable;
  removed_passkey: RemovedPasskeyTable;
  session: SessionTable;
  account_device: AccountDeviceTable;
  ethereum_key: EthereumKeyTable;
  idempotent_answer: IdempotentAnswerTable;
  outbox: OutboxTable;
  rate_limit: RateLimitTable;
  audit_event: AuditEventTable;
  audit_checkpoint: AuditCheckpointTable;
}

/** A handle on the database or on a transaction. Inside a transaction, use only the transaction. */
export type Db = Kysely<Tables>;
