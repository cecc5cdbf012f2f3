import type { Instant } from "../../lib/time.ts";

/** A change of an account's address that the old one can take back. Consumed by deletion. */
export interface EmailChangeTable {
  id: string;
  /** Of the secret in the link that the old address got: SHA-256, base64url. */
  secret_hash: string;
  account_id: string;
  /** Nobody else gets it as long as the row is there. */
  old_email: string;
  new_email: string;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** An account that is to be deleted. Signing in to it deletes the row instead. */
export interface AccountDeletionTable {
  id: string;
  account_id: string;
  created_at: Instant;
  /** When the account goes. */
  due_at: Instant;
  mac: Uint8Array;
}

/** The tables of what becomes of accounts, one interface each, as in `schema.ts`. */
export interface AccountChangeTables {
  email_change: EmailChangeTable;
  account_deletion: AccountDeletionTable;
}
