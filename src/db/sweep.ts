import { sql } from "kysely";
import { BEYOND_ANY_DELAY, MOST_ATTEMPTS, NEVER } from "../lib/delivery.ts";
import type { Instant } from "../lib/time.ts";
import { DELIVERY_MEMORY, PENDING_REQUEST_LIFETIME, REMOVAL_MEMORY, RETRY_WINDOW } from "./retention.ts";
import type { Db, Tables } from "./schema/schema.ts";

/** Rows changed in one transaction, which blocks all other writers. */
const BATCH = 50;

/** Runs a low-priority batch. Resolves after a pause that lets other work run. */
export type Throttle = <T>(batch: () => Promise<T>) => Promise<T>;

interface Sweep<T extends keyof Tables> {
  readonly table: T;
  readonly key: readonly (keyof Tables[T] & string)[];
  readonly column: keyof Tables[T] & string;
  /** Milliseconds after the column's instant at which the row can be deleted. */
  readonly after: number;
}

type AnySweep = { readonly [T in keyof Tables]: Sweep<T> }[keyof Tables];

const SWEEPS: readonly AnySweep[] = [
  { table: "email_code", key: ["id"], column: "expires_at", after: 0 },
  { table: "sign_up_ticket", key: ["id"], column: "expires_at", after: 0 },
  { table: "sign_in_ticket", key: ["id"], column: "expires_at", after: 0 },
  { table: "identity_request", key: ["provider", "state_hash"], column: "expires_at", after: 0 },
  { table: "challenge", key: ["kind", "challenge"], column: "expires_at", after: 0 },
  { table: "removed_passkey", key: ["id"], column: "created_at", after: REMOVAL_MEMORY },
  { table: "idempotent_answer", key: ["holder", "idempotency_key"], column: "expires_at", after: 0 },
  { table: "dpop_proof", key: ["expires_at", "id"], column: "expires_at", after: 0 },
  { table: "outbox", key: ["id"], column: "expires_at", after: 0 },
  { table: "authorization_request", key: ["id"], column: "expires_at", after: 0 },
  { table: "pushed_request", key: ["id"], column: "expires_at", after: PENDING_REQUEST_LIFETIME },
  { table: "device_request", key: ["id"], column: "expires_at", after: PENDING_REQUEST_LIFETIME },
  { table: "refresh_token", key: ["id"], column: "expires_at", after: 0 },
  { table: "release_challenge", key: ["nonce"], column: "expires_at", after: 0 },
  { table: "logout_request", key: ["id"], column: "expires_at", after: 0 },
  { table: "logout_notice", key: ["id"], column: "expires_at", after: 0 },
  { table: "webhook_delivery", key: ["id"], column: "created_at", after: DELIVERY_MEMORY },
  { table: "push_delivery", key: ["id"], column: "expires_at", after: 0 },
  // A missing row means a full bucket too.
  { table: "rate_limit", key: ["name", "subject"], column: "full_at", after: 0 },
];

const QUEUES = ["outbox", "logout_notice", "webhook_delivery", "push_delivery"] as const;

/**
 * Deletes expired rows of tables without a state (`store/state/sweep-owned.ts` has the others), erases stored responses
 * past their time, gives up deliveries that no attempt settled in time, and makes overdue messages due again. A message
 * is overdue if it was queued before the clock was set back. Returns the number of deleted rows. Works in small
 * transactions, each run by `throttle`, so that a backlog does not slow down requests. Correctness does not depend on
 * it: readers check expiry themselves.
 */
export async function sweepExpired(db: Db, now: Instant, throttle: Throttle): Promise<number> {
  let swept = 0;
  for (const { table, key, column, after } of SWEEPS) {
    let deleted: number;
    do {
      deleted = await throttle(() => deleteBatch(db, { table, key, column, before: now - after }));
      swept += deleted;
    } while (deleted === BATCH);
  }
  while (await throttle(() => eraseAnswers(db, now)) === BATCH);
  while (await throttle(() => giveUpExpired(db, now)) === BATCH);
  for (const queue of QUEUES) {
    while (await throttle(() => bringForward(db, queue, now)) === BATCH);
  }
  return swept;
}

/** Makes messages due whose next attempt is later than any back-off allows. Returns their number. */
async function bringForward(db: Db, queue: typeof QUEUES[number], now: Instant): Promise<number> {
  const lost = db.selectFrom(queue).select("id").where("next_attempt_at", ">", now + BEYOND_ANY_DELAY)
    .where("next_attempt_at", "<", NEVER).where("attempts", "<", sql.lit(MOST_ATTEMPTS))
    .limit(sql.lit(BATCH));
  const { numUpdatedRows } = await db.updateTable(queue).set({ next_attempt_at: now })
    .where("id", "in", lost).executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

/** Settles deliveries of webhooks that expired while no process ran, except those in flight. Returns their number. */
async function giveUpExpired(db: Db, now: Instant): Promise<number> {
  const expired = db.selectFrom("webhook_delivery").select("id").where("next_attempt_at", "<=", now)
    .where("expires_at", "<=", now).where("state", "=", "waiting").limit(sql.lit(BATCH));
  const { numUpdatedRows } = await db.updateTable("webhook_delivery")
    .set({ state: "failed", next_attempt_at: NEVER, settled_at: now })
    .where("id", "in", expired).executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

async function eraseAnswers(db: Db, now: Instant): Promise<number> {
  const old = db.selectFrom("refresh_token").select("id").where("answer", "is not", null)
    .where("created_at", "<=", now - RETRY_WINDOW).limit(sql.lit(BATCH));
  const { numUpdatedRows } = await db.updateTable("refresh_token").set({ answer: null })
    .where("id", "in", old).executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

async function deleteBatch(
  db: Db,
  { table, key, column, before }: { table: string; key: readonly string[]; column: string; before: Instant },
): Promise<number> {
  const keyColumns = sql.join(key.map((name) => sql.ref(name)));
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where (${keyColumns}) in (
    select ${keyColumns} from ${sql.table(table)} where ${sql.ref(column)} <= ${before} limit ${
    sql.lit(BATCH)
  }
  )`.execute(db);
  return Number(numAffectedRows);
}

/** The tables that unauthenticated clients fill. */
export type PendingTable = "authorization_request" | "pushed_request" | "device_request" | "logout_request";

/**
 * Deletes the oldest rows of a table that unauthenticated clients fill, except the latest `limit`. This bounds the
 * table without refusing new requests. Reads as many index entries as rows stay.
 */
export async function keepLatest(
  tx: Db,
  { table, limit }: { table: PendingTable; limit: number },
): Promise<void> {
  const rows = sql.table(table);
  await sql`delete from ${rows} where expires_at < (
    select expires_at from ${rows} order by expires_at desc limit 1 offset ${limit - 1}
  )`.execute(tx);
}
