import type { Kysely } from "kysely";
import type { Instant } from "../../lib/time.ts";
import { ACCOUNT_TABLES, RECOVERY_TABLES } from "./account.ts";
import { ADMINISTRATION_TABLES } from "./administration.ts";
import { BROKER_TABLES } from "./broker.ts";
import type { RowsOf } from "./column.ts";
import { IDEMPOTENCY_TABLES } from "./idempotency.ts";
import { KEY_TABLES } from "./key.ts";
import { OAUTH_TABLES } from "./oauth.ts";
import { PUSH_TABLES } from "./push.ts";
import { SIGN_IN_TABLES } from "./sign-in.ts";
import { SIGNING_REQUEST_TABLES } from "./signing-request.ts";
import { SEAL_TABLES, STATE_TABLES } from "./state.ts";
import { type DpopProofTable, TOKEN_TABLES } from "./token.ts";
import { WEBHOOK_TABLES, type WebhookPositionTable } from "./webhook.ts";

/**
 * The tables. Times are milliseconds since 1970, ids are text, bytes are blobs. A table whose rows grant authority is a
 * value, from which the columns that the MAC covers are read. All others are interfaces.
 */

/**
 * A mail, sealed by the vault with its id, age and expiry as additional data. `attempts` and `next_attempt_at` are not
 * authenticated. A database attacker who edits them can delay a mail, or have it sent again to the same address before
 * it expires. Deleting the row would withhold it too.
 */
export interface OutboxTable {
  id: string;
  sealed: Uint8Array;
  created_at: Instant;
  expires_at: Instant;
  /** The number of attempts that were started. */
  attempts: number;
  /** The time of the next attempt. A process moves it ahead before it tries, to keep other processes away. */
  next_attempt_at: Instant;
}

/** A token bucket, stored as the time at which it is full again (GCRA). */
export interface RateLimitTable {
  name: string;
  subject: string;
  full_at: Instant;
}

/**
 * The refusals of a program by one rule of a policy in one hour. Not authenticated: an editor of the database can
 * change the number that the owner sees, and whether the owner gets a mail about it.
 */
export interface SigningRefusalTable {
  /** The id of the token or grant. */
  holder_id: string;
  /** The start of the hour. */
  hour: Instant;
  /** The owner of the policy: `key`, `token` or `application`. */
  policy: string;
  /** A JSON pointer into the policy, empty without a rule. */
  rule: string;
  account_id: string;
  client_id: string | null;
  count: number;
  first_at: Instant;
  last_at: Instant;
}

/** The audit log: append-only, each entry chained to the previous one. */
export interface AuditEventTable {
  seq: number;
  at: Instant;
  event: string;
  account_id: string | null;
  /** The id of the affected row: a key, passkey, session or other. */
  subject: string | null;
  /** JSON of the event's further members. */
  detail: string;
  /**
   * The new head of the account's state, or of the service's without an account; empty if deleted, null if unchanged.
   */
  state: Uint8Array | null;
  /** SHA-256 over the previous hash and this entry. */
  hash: Uint8Array;
  /** Vault MAC over `seq` and `hash`. */
  mac: Uint8Array;
}

/** The verified part of the audit log. One row, so that the next start need not verify that part again. */
export interface AuditCheckpointTable {
  id: number;
  seq: number;
  hash: Uint8Array;
  /** The newest state of each owner at that entry, as `store/state/state-tags.ts` encodes it. */
  state_tags: Uint8Array;
  /** Vault MAC over `seq`, `hash` and `state_tags`. */
  mac: Uint8Array;
}

/** The tables whose rows grant authority: those with a `mac`, except the audit log's. */
export const AUTHENTICATED_TABLES = {
  ...ACCOUNT_TABLES,
  ...RECOVERY_TABLES,
  ...SIGN_IN_TABLES,
  ...KEY_TABLES,
  ...SIGNING_REQUEST_TABLES,
  ...TOKEN_TABLES,
  ...OAUTH_TABLES,
  ...IDEMPOTENCY_TABLES,
  ...ADMINISTRATION_TABLES,
  ...BROKER_TABLES,
  ...SEAL_TABLES,
  ...STATE_TABLES,
  ...WEBHOOK_TABLES,
  ...PUSH_TABLES,
};

export interface Tables extends RowsOf<typeof AUTHENTICATED_TABLES> {
  dpop_proof: DpopProofTable;
  outbox: OutboxTable;
  rate_limit: RateLimitTable;
  signing_refusal: SigningRefusalTable;
  audit_event: AuditEventTable;
  audit_checkpoint: AuditCheckpointTable;
  webhook_position: WebhookPositionTable;
}

/** A handle on the database or on a transaction. Inside a transaction, use only the transaction. */
export type Db = Kysely<Tables>;
