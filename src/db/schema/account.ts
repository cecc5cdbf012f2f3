import type { Instant } from "../../lib/time.ts";

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

/** A change of an account's address that its old address can revert. Consumed by deletion. */
export interface EmailChangeTable {
  id: string;
  /** SHA-256 of the secret in the link sent to the old address, base64url. */
  secret_hash: string;
  account_id: string;
  /** Reserved: no other account gets it while the row exists. */
  old_email: string;
  new_email: string;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** A pending deletion of an account. A sign-in deletes this row instead. */
export interface AccountDeletionTable {
  id: string;
  account_id: string;
  created_at: Instant;
  due_at: Instant;
  mac: Uint8Array;
}

export interface AccountTables {
  account: AccountTable;
  identity: IdentityTable;
  passkey: PasskeyTable;
  removed_passkey: RemovedPasskeyTable;
  email_change: EmailChangeTable;
  account_deletion: AccountDeletionTable;
}

/** The proof that a recovery was started with. */
export type RecoveryWay = "code_and_email" | "email" | "code";

/** An account's recovery: its settings, the pending recovery and the cooldown after one. */
export interface AccountRecoveryTable {
  account_id: string;
  /** Increases with every change that the audit log records, which exposes a restored old row. */
  revision: number;
  /** The delay of recoveries started from now on. */
  delay_hours: number;
  /** 1 if an email code can start a recovery without a recovery code, else 0. */
  email_alone: number;
  /** The revision at which the recovery codes were created; null without codes. */
  sheet: number | null;
  /** Bit mask of the unused codes. */
  codes_left: number;
  codes_made_at: Instant | null;
  /** The pending recovery. This column and those down to `begun_ran` are null without one. */
  recovery_id: string | null;
  way: RecoveryWay | null;
  /** Base64url SHA-256 of the secret of the browser that started it. */
  secret_hash: string | null;
  /** The hash of the recovery code, if it was started by code alone. */
  code_hash: string | null;
  /** Device and network prefix that it was started from. */
  device: string | null;
  network: string | null;
  begun_at: Instant | null;
  /** The period in which a new passkey can be created. */
  ready_at: Instant | null;
  ends_at: Instant | null;
  /** The value of `ran` when the recovery started. */
  begun_ran: number | null;
  /** The end of the cooldown after a recovery, during which security settings cannot be weakened; null without one. */
  settled_at: Instant | null;
  /** The value that `ran` must reach before the cooldown ends. */
  settled_ran: number | null;
  /**
   * Milliseconds of observed running time while a recovery or cooldown was pending. Measured with a monotonic clock,
   * so that setting the system clock does not shorten a delay.
   */
  ran: number;
  /** The time of the next owner notification, or of the end of the cooldown; null without either. */
  look_at: Instant | null;
  mac: Uint8Array;
}

/** A recovery code. It can be used once, while its bit is set in the account's row. */
export interface RecoveryCodeTable {
  /** MAC under a vault key, base64url. */
  code_hash: string;
  account_id: string;
  sheet: number;
  /** From 0. */
  number: number;
  created_at: Instant;
  mac: Uint8Array;
}

export interface RecoveryTables {
  account_recovery: AccountRecoveryTable;
  recovery_code: RecoveryCodeTable;
}
