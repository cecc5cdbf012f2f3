import { sql } from "kysely";
import type { Instant } from "../lib/time.ts";
import type { Db } from "./schema/schema.ts";

/** Returns the size of a PostgreSQL database. */
export async function readServerBytes(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number | string }>`
    select pg_database_size(current_database()) as bytes`.execute(db);
  return Number(rows[0]!.bytes);
}

/** The queues whose rows another server must accept. */
export type DeliveryQueue = "outbox" | "logout_notice" | "push_delivery";

/** Returns the number of deliveries of webhooks that wait. Counts rows that are not authentic too. */
export async function countWaitingDeliveries(db: Db): Promise<number> {
  const { count } = await db.selectFrom("webhook_delivery").select(({ fn }) => fn.countAll().as("count"))
    .where("state", "=", "waiting").executeTakeFirstOrThrow();
  return Number(count);
}

/** Returns the number of rows that have not expired. Counts rows that are not authentic too. */
export async function countWaiting(db: Db, queue: DeliveryQueue, now: Instant): Promise<number> {
  const { count } = await db.selectFrom(queue).select(({ fn }) => fn.countAll().as("count"))
    .where("expires_at", ">", now).executeTakeFirstOrThrow();
  return Number(count);
}
