import { added, authenticated, bytes, column, nullable, text, time } from "./column.ts";

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

export const SIGNING_REQUEST_TABLES = {
  /** A request to a key's owner for a signature, pending or ended. */
  signing_request: authenticated(1, {
    id: text,
    account_id: text,
    key_id: text,
    /** The requester: `owner`, or the id of the API token or grant. */
    requester: text,
    /** The requesting client; null for an API token or the owner. */
    client_id: nullable(text),
    /** The name of the API token or client at the time of the request; null for the owner. */
    requester_name: nullable(text),
    /** The requester's network prefix. */
    network: text,
    kind: column<SigningRequestKind>(),
    /** The whole sign request as JSON, sealed by the vault; null once it ended without a signature. */
    document: nullable(bytes),
    digest: bytes,
    reason: text,
    state: column<SigningRequestState>(),
    /** The problem code, if refused. */
    code: nullable(text),
    /** The problem's message if refused; the owner's comment, if any, if declined. */
    word: nullable(text),
    created_at: time,
    /** The approval deadline. */
    expires_at: time,
    ended_at: nullable(time),
    /** The program's own claim why it asks; null for none. */
    purpose: added(text),
  }),
};
