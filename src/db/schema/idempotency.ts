import type { Instant } from "../../lib/time.ts";

/** The answer given under an `Idempotency-Key`. */
export interface IdempotentAnswerTable {
  /** Whose key it is: an account's, a session's, a token's, a grant's, or the administrator's. */
  holder: string;
  idempotency_key: string;
  /** The account it goes with; null for the administrator's. */
  account_id: string | null;
  /** SHA-256 of what was asked, base64url. */
  request_hash: string;
  /** What was made, as JSON. */
  answer: string;
  /** The secret that was shown with it, sealed; null where it has none. */
  sealed: Uint8Array | null;
  created_at: Instant;
  expires_at: Instant;
  mac: Uint8Array;
}
