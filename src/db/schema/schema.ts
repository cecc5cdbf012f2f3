import type { Kysely } from "kysely";
import type { IdempotentAnswerTable } from "./idempotency.ts";
import type { Instant } from "../../lib/time.ts";
import type { AdministrationTables } from "./administration.ts";
import type { AccountTables, RecoveryTables } from "./account.ts";
import type { BrokerTables } from "./broker.ts";
import type { KeyTables } from "./key.ts";
import type { OAuthTables } from "./oauth.ts";
import type { SignInTables } from "./sign-in.ts";
import type { SigningRequestTables } from "./signing-request.ts";
import type { TokenTables } from "./token.ts";

/**
 * The tables, one interface each. Times are milliseconds since 1970, ids are text, bytes are blobs. Rows with a `mac`
 * grant authority. `vault/authority.ts` lists the columns that the MAC covers, and what editing one of the others
 * would gain.
 */

/** The root seed, sealed under the TEE's sealing key. One row for the life of the database. */
export interface SealedSeedTable {
  id: number;
  version: number;
  seal_key_id: string;
  sealed: Uint8Array;
  created_at: Instant;
}

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
  /** Vault MAC over `seq` and `hash`. */
  mac: Uint8Array;
}

export interface Tables
  extends
    OAuthTables,
    BrokerTables,
    TokenTables,
    SigningRequestTables,
    AdministrationTables,
    RecoveryTables,
    KeyTables,
    SignInTables,
    AccountTables {
  sealed_seed: SealedSeedTable;
  idempotent_answer: IdempotentAnswerTable;
  outbox: OutboxTable;
  rate_limit: RateLimitTable;
  audit_event: AuditEventTable;
  audit_checkpoint: AuditCheckpointTable;
}

/** A handle on the database or on a transaction. Inside a transaction, use only the transaction. */
export type Db = Kysely<Tables>;
