import type { Instant } from "../../lib/time.ts";

/** By what a recovery was begun. */
export type RecoveryWay = "code_and_email" | "email" | "code";

/** An account's way back when its passkeys are lost: its choices, the recovery that waits, what follows one. */
export interface AccountRecoveryTable {
  account_id: string;
  /** Grows with every change that the log tells of: a row of before is known by it. */
  revision: number;
  /** How long a recovery waits that is begun from now on. */
  delay_hours: number;
  /** Whether an e-mail code begins one without a recovery code: 0 or 1. */
  email_alone: number;
  /** The revision with which the recovery codes were made; null where there are none. */
  sheet: number | null;
  /** A bit for each code of the sheet that was not used. */
  codes_left: number;
  codes_made_at: Instant | null;
  /** The recovery that waits; it and what follows up to `begun_ran` are null where none does. */
  recovery_id: string | null;
  way: RecoveryWay | null;
  /** Base64url SHA-256 of the secret of the browser that began it. */
  secret_hash: string | null;
  /** Of one that was begun by code alone, the code. */
  code_hash: string | null;
  /** From where it was begun. */
  device: string | null;
  network: string | null;
  begun_at: Instant | null;
  /** From when a new passkey can be made, and until when. */
  ready_at: Instant | null;
  ends_at: Instant | null;
  /** What `ran` was when it was begun. */
  begun_ran: number | null;
  /** Until when nothing is loosened after a recovery; null where there was none. */
  settled_at: Instant | null;
  /** What `ran` must be for that to be over. */
  settled_ran: number | null;
  /** Milliseconds that the service was seen running while something here waited, by clocks that nobody sets. */
  ran: number;
  /** When the account is to be told again, or `ran` is of no more use; null where nothing waits. */
  look_at: Instant | null;
  mac: Uint8Array;
}

/** A recovery code, by its hash: whose it is. It counts once, while its bit is set in the account's row. */
export interface RecoveryCodeTable {
  /** Under a vault key, base64url. */
  code_hash: string;
  account_id: string;
  sheet: number;
  /** From 0. */
  number: number;
  created_at: Instant;
  mac: Uint8Array;
}

/** The tables of recoveries. */
export interface RecoveryTables {
  account_recovery: AccountRecoveryTable;
  recovery_code: RecoveryCodeTable;
}
