import type { Instant } from "../../lib/time.ts";

/** How a signing request stands. One that is pending past its end has expired, whatever stands here. */
export type SigningRequestState = "pending" | "signed" | "declined" | "refused" | "withdrawn" | "expired";

/** What is to be signed: of a message its format. */
export type SigningRequestKind =
  | "personal_sign"
  | "raw"
  | "digest"
  | "typed_data"
  | "transaction"
  | "authorization";

/** A signature that a key's owner is asked for, or was. */
export interface SigningRequestTable {
  id: string;
  account_id: string;
  key_id: string;
  /** Who asks: `owner`, or the id of the token or of the application's grant. */
  asker: string;
  /** The application's client; null where none asks. */
  client_id: string | null;
  /** What the token or the application was called when it asked; null where the owner asks. */
  asker_name: string | null;
  /** Where it was asked from, as `limits/network.ts` has it. */
  network: string;
  kind: SigningRequestKind;
  /** The whole sign request as JSON, sealed by the vault; null once it is over without a signature. */
  document: Uint8Array | null;
  /** The 32 bytes that are to be signed. */
  digest: Uint8Array;
  /** Why the owner is asked. */
  reason: string;
  state: SigningRequestState;
  /** Of a refusal its problem's code. */
  code: string | null;
  /** Of a refusal its sentence, of what was declined the owner's word, if any. */
  word: string | null;
  created_at: Instant;
  /** Until when it can be approved. */
  expires_at: Instant;
  ended_at: Instant | null;
  mac: Uint8Array;
}

/** The tables of asked signatures. */
export interface SigningRequestTables {
  signing_request: SigningRequestTable;
}
