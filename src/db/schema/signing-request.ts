import type { Instant } from "../../lib/time.ts";

/** The state of a signing request. A pending one past its expiry counts as expired, whatever is stored. */
export type SigningRequestState = "pending" | "signed" | "declined" | "refused" | "withdrawn" | "expired";

/** The kind of data to sign; for a message, its format. */
export type SigningRequestKind =
  | "personal_sign"
  | "raw"
  | "digest"
  | "typed_data"
  | "transaction"
  | "authorization";

/** A request to a key's owner for a signature, pending or ended. */
export interface SigningRequestTable {
  id: string;
  account_id: string;
  key_id: string;
  /** The requester: `owner`, or the id of the API token or grant. */
  asker: string;
  /** The requesting client; null for an API token or the owner. */
  client_id: string | null;
  /** The name of the API token or client at the time of the request; null for the owner. */
  asker_name: string | null;
  /** The requester's network prefix. */
  network: string;
  kind: SigningRequestKind;
  /** The whole sign request as JSON, sealed by the vault; null once it ended without a signature. */
  document: Uint8Array | null;
  digest: Uint8Array;
  reason: string;
  state: SigningRequestState;
  /** The problem code, if refused. */
  code: string | null;
  /** The problem's message if refused; the owner's comment, if any, if declined. */
  word: string | null;
  created_at: Instant;
  /** The approval deadline. */
  expires_at: Instant;
  ended_at: Instant | null;
  mac: Uint8Array;
}

export interface SigningRequestTables {
  signing_request: SigningRequestTable;
}
