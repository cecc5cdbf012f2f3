import type { Instant } from "../../lib/time.ts";

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

export interface AccountChangeTables {
  email_change: EmailChangeTable;
  account_deletion: AccountDeletionTable;
}
