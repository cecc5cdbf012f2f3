import { sql } from "kysely";
import type { Db } from "./schema/schema.ts";

// Statements on the rows of webhooks that decide nothing: what is sent, and to whom, is verified.

/** The only row of `webhook_position`. */
const POSITION = 1;

/** Returns true if there is a row of a webhook, authentic or not. */
export async function hasWebhooks(db: Db): Promise<boolean> {
  return await db.selectFrom("webhook").select("id").limit(1).executeTakeFirst() !== undefined;
}

/** Moves the position to the end of the audit log. */
export async function startAtEnd(tx: Db): Promise<void> {
  const { last } = await tx.selectFrom("audit_event").select(({ fn }) => fn.max("seq").as("last"))
    .executeTakeFirstOrThrow();
  const seq = Number(last ?? 0);
  await tx.insertInto("webhook_position").values({ id: POSITION, seq })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ seq })).execute();
}

/** Returns the entry up to which deliveries were created. */
export async function readPosition(db: Db): Promise<number> {
  const row = await db.selectFrom("webhook_position").select("seq").executeTakeFirst();
  return Number(row?.seq ?? 0);
}

/** Returns false if another process has moved the position. */
export async function movePosition(tx: Db, from: number, to: number): Promise<boolean> {
  const { numUpdatedRows } = await tx.updateTable("webhook_position").set({ seq: to })
    .where("id", "=", POSITION).where("seq", "=", from).executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** Deletes the settled deliveries of a webhook that are older than its latest `limit`. */
export async function trimSettled(tx: Db, webhookId: string, limit: number): Promise<void> {
  await sql`delete from ${sql.table("webhook_delivery")}
    where webhook_id = ${webhookId} and state <> 'waiting' and created_at < (
      select created_at from ${sql.table("webhook_delivery")} where webhook_id = ${webhookId}
      order by created_at desc limit 1 offset ${sql.lit(limit)}
    )`.execute(tx);
}
