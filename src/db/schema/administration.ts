import type { Instant } from "../../lib/time.ts";

/** The right to create a number of accounts, held by the owner of its link. */
export interface InvitationTable {
  id: string;
  secret_hash: string;
  /** The only address it is for, normalised; null if any person with the link may use it. */
  email: string | null;
  /** The number of accounts that may be created with it, and that were. */
  uses: number;
  used: number;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** A browser that is signed in to the administration pages. */
export interface AdminSessionTable {
  id: string;
  secret_hash: string;
  /** The administrator's account and session; both null if the admin key was used. */
  account_id: string | null;
  session_id: string | null;
  /** Hash of the admin key under a vault key; null if an account signed in. */
  admin_key_hash: string | null;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

export interface AdministrationTables {
  invitation: InvitationTable;
  admin_session: AdminSessionTable;
}
