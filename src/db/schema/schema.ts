import type { Kysely } from "kysely";
import type { IdempotentAnswerTable } from "./idempotency.ts";
import type { Instant } from "../../lib/time.ts";
import type { AdministrationTables } from "./administration.ts";
import type { AccountChangeTables } from "./account-change.ts";
import type { BrokerTables } from "./broker.ts";
import type { OAuthTables } from "./oauth.ts";
import type { RecoveryTables } from "./recovery.ts";
import type { SigningRequestTables } from "./signing-request.ts";
import type { TokenTables } from "./token.ts";

/**
 * The tables, one interface each. Times are milliseconds since 1970, ids are text, bytes are blobs.
 * Rows with a `mac` grant authority: `vault/authority.ts` says which of their columns it covers and what editing
 * one of the others would gain.
 */

/** The root seed under the TEE's sealing key. One row for the life of the database. */
export interface SealedSeedTable {
  id: number;
  version: number;
  seal_key_id: string;
  sealed: Uint8Array;
  created_at: Instant;
}

/** A person. `id` is also the WebAuthn user handle. */
export interface AccountTable {
  id: string;
  /** Lower case, as `accounts/email/email.ts` normalises it. */
  email: string | null;
  name: string | null;
  /** Of the pages and mails, as BCP 47 has it. */
  language: string;
  created_at: Instant;
  /** When an administrator disabled it; null while it is not. */
  disabled_at: Instant | null;
  /** Grows with every change, so that no two versions of a row are the same; null before the first. */
  revision: number | null;
  mac: Uint8Array;
}

/** A 6-digit code on its way to an address. One row per address, purpose and browser: a new code replaces it. */
export interface EmailCodeTable {
  id: string;
  email: string;
  purpose: string;
  /** SHA-256 of the pre-session cookie's secret, base64url. */
  browser_hash: string;
  /** The code under a vault key: six digits alone would be searched in no time. */
  code_mac: Uint8Array;
  attempts: number;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** The right to make one account, held by the browser that proved an address or who it is to another provider. */
export interface SignUpTicketTable {
  id: string;
  secret_hash: string;
  /** Drawn in advance, because the passkey is made for it before the account exists. */
  account_id: string;
  /** Proven; null where the other provider vouches for none. */
  email: string | null;
  /** What the other provider says, which proves nothing. */
  name: string | null;
  /** The identity the account will be linked to. Both or none. */
  issuer: string | null;
  subject: string | null;
  created_at: Instant;
  expires_at: Instant;
  /** The invitation that it came by; null where it took none. */
  invitation_id: string | null;
  mac: Uint8Array;
}

/** Whose account belongs to somebody's identity at another provider. It shows who may sign in, and signs nobody in. */
export interface IdentityTable {
  id: string;
  issuer: string;
  /** The person at that issuer, for ever: never an address. */
  subject: string;
  account_id: string;
  created_at: Instant;
  mac: Uint8Array;
}

/** A browser that was sent to another provider. Consumed by deletion when it comes back. */
export interface IdentityRequestTable {
  provider: string;
  /** SHA-256 of the state, base64url. Nonce and code verifier follow from the state under a vault key. */
  state_hash: string;
  /** SHA-256 of the pre-session cookie's secret, base64url. */
  browser_hash: string;
  /** The query with which the browser goes on: `request=…`, `next=…` or nothing. */
  onward: string;
  created_at: Instant;
  expires_at: Instant;
  /** The session whose account is to be linked to whoever comes back; null where somebody signs in. */
  session_id: string | null;
  mac: Uint8Array;
}

/** Whose passkey is asked for in the browser that another provider named the person to. */
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
  /**
   * Who may answer it: `ticket:<id>`, `recovery:<id>`, `session:<id>` or `browser:<hash>`; for a step-up
   * `session:<id>/<action>`.
   */
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
  /** The `account_device` it was opened from, which may be gone. */
  device_id: string;
  /** Browser and system, as `accounts/session/device.ts` words them. */
  device: string;
  /** Where the sign-in came from, as `limits/network.ts` has it. */
  network: string;
  created_at: Instant;
  authenticated_at: Instant;
  /** What the passkey was used for since; null once that was done. */
  step_up_action: string | null;
  stepped_up_at: Instant | null;
  /** The absolute end; the idle end follows from `last_seen_at`. */
  expires_at: Instant;
  last_seen_at: Instant;
  mac: Uint8Array;
}

/** A browser that somebody has signed in to an account from. */
export interface AccountDeviceTable {
  id: string;
  account_id: string;
  /** SHA-256 of the device cookie's secret, base64url. */
  secret_hash: string;
  created_at: Instant;
  /** When somebody last signed in from it. */
  last_seen_at: Instant;
  mac: Uint8Array;
}

/** What is kept of a passkey that its owner removed, to tell whoever still holds it. `id` is the passkey's. */
export interface RemovedPasskeyTable {
  id: string;
  account_id: string;
  credential_id: Uint8Array;
  public_key: Uint8Array;
  algorithm: number;
  backup_eligible: number;
  sign_count: number;
  /** When it was removed. */
  created_at: Instant;
  mac: Uint8Array;
}

export type BlindSigning = "allow" | "guard" | "deny";

/** An Ethereum key: everything about it but the private key, which is derived again for each signature. */
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
  /** Grows with every change, so that no two versions of a row are the same; null before the first. */
  revision: number | null;
  /** Canonical JSON of what the key may sign; null where it may sign anything. */
  policy: string | null;
  /** What becomes of the policy at `policy_change_at`: canonical JSON, `null` for none. Both null where nothing waits. */
  policy_change: string | null;
  policy_change_at: Instant | null;
  mac: Uint8Array;
}

/**
 * A mail, sealed by the vault with its id, age and expiry as additional data. The two last columns are open: whoever
 * edits them can hold a mail back, as by deleting it, or have it sent again to the same address before it expires.
 */
export interface OutboxTable {
  id: string;
  sealed: Uint8Array;
  created_at: Instant;
  expires_at: Instant;
  /** How often a process has set about sending it. */
  attempts: number;
  /** When it may be tried. A process that tries it moves this ahead first, so that no other one does meanwhile. */
  next_attempt_at: Instant;
}

/** One token bucket: the instant at which it will be full again (GCRA). */
export interface RateLimitTable {
  name: string;
  subject: string;
  full_at: Instant;
}

/** The audit log: append-only, each entry chained to the one before. */
export interface AuditEventTable {
  seq: number;
  at: Instant;
  event: string;
  account_id: string | null;
  /** What it happened to: a key, passkey, session or row id. */
  subject: string | null;
  /** JSON of the event's further members. */
  detail: string;
  /** SHA-256 over the previous hash and this entry. */
  hash: Uint8Array;
  /** Vault MAC over `seq` and `hash`. */
  mac: Uint8Array;
}

/** How far the audit log was proven. One row, which saves the next start from proving that again. */
export interface AuditCheckpointTable {
  id: number;
  /** The last entry that was proven, and its hash. */
  seq: number;
  hash: Uint8Array;
  /** Vault MAC over both. */
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

/** A database handle: the outer one or a transaction. Inside a transaction only the transaction is used. */
export type Db = Kysely<Tables>;
