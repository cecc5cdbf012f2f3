import { sql } from "kysely";
import { prepared, type Slot } from "../db/prepared-statement.ts";
import type { Db, Tables } from "../db/schema/schema.ts";
import { type DeliveryWorker, startDeliveryWorker } from "../lib/delivery-worker.ts";
import { LEASE, MOST_ATTEMPTS, nextAttempt } from "../lib/delivery.ts";
import type { RandomBytes } from "../lib/id.ts";
import type { Log } from "../lib/log.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { Clock, Instant } from "../lib/time.ts";
import type { Vault } from "../vault/vault.ts";
import { openMail } from "./outbox.ts";
import { type MailTransport, SmtpError } from "./smtp.ts";

/** Greylisting can be excluded after so many attempts: the server has refused the mail for more than a minute. */
const STUCK_ATTEMPTS = 5;

export interface DeliveryServices {
  readonly vault: Vault;
  readonly transport: MailTransport;
  readonly random: RandomBytes;
  readonly now: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The limit of attempts is a literal, because the index is limited to it. */
const selectAnyDue = prepared((db, slot: Slot<{ now: Instant }>) =>
  db.selectFrom("outbox").select(sql.lit(1).as("one")).where("next_attempt_at", "<=", slot("now"))
    .where("attempts", "<", sql.lit(MOST_ATTEMPTS)).limit(sql.lit(1))
);

/**
 * Claims up to `limit` due mails, those that expire first before the others, and leases each to one process. If a
 * process dies while sending, another sends the mail after the lease. The mail may then arrive twice.
 */
export async function claimDue(
  db: Db,
  { limit, now }: { limit: number; now: Instant },
): Promise<readonly Tables["outbox"][]> {
  // Reads before writing: usually nothing is due, and a write blocks other writers.
  if ((await selectAnyDue(db, { now })).length === 0) return [];
  const due = await db.selectFrom("outbox").select("id").where("expires_at", ">", now)
    .where("next_attempt_at", "<=", now).where("attempts", "<", MOST_ATTEMPTS).orderBy("expires_at")
    .limit(limit).execute();
  if (due.length === 0) return [];
  return await db.updateTable("outbox")
    .set((expression) => ({
      attempts: expression("attempts", "+", 1),
      next_attempt_at: now + LEASE,
    }))
    .where("id", "in", due.map(({ id }) => id)).where("next_attempt_at", "<=", now)
    .where("attempts", "<", MOST_ATTEMPTS).returningAll().execute();
}

/**
 * Sends a claimed mail and deletes it. If the server does not accept it, schedules a retry or gives up. Logs the id
 * and the result, never an address or content. Throws only if the database fails.
 */
export async function deliver(db: Db, services: DeliveryServices, row: Tables["outbox"]): Promise<void> {
  const { vault, transport, log } = services;
  const mail = openMail(vault, row);
  if (mail === undefined) {
    log("error", "row_rejected", { kind: "outbox", subject: row.id });
    return await remove(db, row);
  }
  try {
    await transport.send(row.id, mail);
  } catch (error) {
    if (!(error instanceof SmtpError)) log("error", "mail_failed", { mail: row.id, error: String(error) });
    return await postpone(db, services, row, error);
  }
  await remove(db, row);
  log("info", "mail_sent", { mail: row.id, attempts: row.attempts });
}

async function postpone(
  db: Db,
  { random, now, log, metrics }: DeliveryServices,
  row: Tables["outbox"],
  error: unknown,
): Promise<void> {
  const { id, attempts } = row;
  const [reason, isPermanent] = error instanceof SmtpError
    ? [error.message, error.isPermanent]
    : ["INTERNAL", false];
  metrics.count("holdfast_delivery_failures_total", "mail");
  const next = isPermanent ? undefined : nextAttempt(row, now(), random);
  if (next === undefined) {
    await remove(db, row);
    return log("warn", "mail_given_up", { mail: id, attempts, reason });
  }
  await db.updateTable("outbox").set({ next_attempt_at: next }).where("id", "=", id)
    .where("attempts", "=", attempts).execute();
  log("warn", "mail_deferred", { mail: id, attempts, reason });
}

async function remove(db: Db, { id }: Tables["outbox"]): Promise<void> {
  await db.deleteFrom("outbox").where("id", "=", id).execute();
}

export async function countStuckMails(db: Db, now: Instant): Promise<number> {
  const { count } = await db.selectFrom("outbox").select(({ fn }) => fn.countAll().as("count"))
    .where("expires_at", ">", now).where("attempts", ">=", STUCK_ATTEMPTS).executeTakeFirstOrThrow();
  return Number(count);
}

/** The maximum number of connections to the mail server. */
const CONCURRENCY = 8;

/** Starts sending the outbox's mails. Several processes may do so over one database. */
export function startMailWorker(db: Db, services: DeliveryServices): DeliveryWorker {
  return startDeliveryWorker({
    concurrency: CONCURRENCY,
    claim: (limit) => claimDue(db, { limit, now: services.now() }),
    deliver: (row) => deliver(db, services, row),
    failed: (error) => services.log("error", "mail_failed", { error: String(error) }),
    abort: () => services.transport.close(),
  });
}
