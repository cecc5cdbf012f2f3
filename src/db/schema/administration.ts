import type { Instant } from "../../lib/time.ts";

/** The right to make so many accounts, held by whoever has its link. */
export interface InvitationTable {
  id: string;
  secret_hash: string;
  /** Whom alone it is for: a normalised address; null where it is for anybody with the link. */
  email: string | null;
  /** How many accounts may be made by it, and how many were. */
  uses: number;
  used: number;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** A browser in which the administrator's pages were entered. */
export interface AdminSessionTable {
  id: string;
  secret_hash: string;
  /** Who entered, and by which of their sessions; both null where it was by the admin key. */
  account_id: string | null;
  session_id: string | null;
  /** A hash of the admin key that it was entered with, under a vault key; null where it was by an account. */
  admin_key_hash: string | null;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}

/** The tables of the administrator's own. */
export interface AdministrationTables {
  invitation: InvitationTable;
  admin_session: AdminSessionTable;
}
