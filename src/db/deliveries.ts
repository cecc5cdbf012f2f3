import { sql } from "kysely";
import type { Db } from "./schema/schema.ts";

// Statements on the rows of webhooks and push messages that decide nothing: what is sent, and to whom, is verified.

/** The kinds of receivers that are sent events of the audit log, with their rows of `webhook_position`. */
const POSITIONS = { webhook: 1, push_subscription: 2 } as const;

export type ReceiverKind = keyof typeof POSITIONS;

/** Returns true if there is a row of a receiver, authentic or not. */
export async function hasReceivers(db: Db, kind: ReceiverKind): Promise<boolean> {
  return await db.selectFrom(kind).select("id").limit(1).executeTakeFirst() !== undefined;
}

/** Moves the position to the end of the audit log. */
export async function startAtEnd(tx: Db, kind: ReceiverKind): Promise<void> {
  const { last } = await tx.selectFrom("audit_event").select(({ fn }) => fn.max("seq").as("last"))
    .executeTakeFirstOrThrow();
  const seq = Number(last ?? 0);
  await tx.insertInto("webhook_position").values({ id: POSITIONS[kind], seq })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ seq })).execute();
}

/** Returns the entry up to which deliveries were created. */
export async function readPosition(db: Db, kind: ReceiverKind): Promise<number> {
  const row = await db.selectFrom("webhook_position").select("seq").where("id", "=", POSITIONS[kind])
    .executeTakeFirst();
  return Number(row?.seq ?? 0);
}

/** Returns false if another process has moved the position. */
export async function movePosition(tx: Db, kind: ReceiverKind, from: number, to: number): Promise<boolean> {
  const { numUpdatedRows } = await tx.updateTable("webhook_position").set({ seq: to })
    .where("id", "=", POSITIONS[kind]).where("seq", "=", from).executeTakeFirst();
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
