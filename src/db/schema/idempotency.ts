import { authenticated, bytes, nullable, text, time } from "./column.ts";

export const IDEMPOTENCY_TABLES = {
  /** The response stored under an `Idempotency-Key`. */
  idempotent_answer: authenticated(2, {
    /** The owner of the key: the id of an account, session, API token or grant, or the administrator. */
    holder: text,
    idempotency_key: text,
    /** The account it is deleted with; null for the administrator. */
    account_id: nullable(text),
    /** SHA-256 of the request, base64url. */
    request_hash: text,
    /** JSON of the response without its secret. */
    answer: text,
    /** The secret in the response, sealed; null for none. */
    sealed: nullable(bytes),
    created_at: time,
    expires_at: time,
  }),
};
