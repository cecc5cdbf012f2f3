import type { Instant } from "../../lib/time.ts";

/** The response stored under an `Idempotency-Key`. */
export interface IdempotentAnswerTable {
  /** The owner of the key: the id of an account, session, API token or grant, or the administrator. */
  holder: string;
  idempotency_key: string;
  /** The account it is deleted with; null for the administrator. */
  account_id: string | null;
  /** SHA-256 of the request, base64url. */
  request_hash: string;
  /** JSON of the response without its secret. */
  answer: string;
  /** The secret in the response, sealed; null for none. */
  sealed: Uint8Array | null;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}
