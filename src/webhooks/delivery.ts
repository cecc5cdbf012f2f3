import type { Db } from "../db/schema/schema.ts";
import type { DeliveryState } from "../db/schema/webhook.ts";
import type { NoResponse } from "../lib/delivery.ts";
import { ProtocolError } from "../lib/error.ts";
import type { Instant } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { findRow, listRows } from "../store/read.ts";
import { replaceIfUnchanged } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import { DELIVERY_LIFETIME, LATEST } from "./fan-out.ts";
import { getWebhook, type WebhookSubject } from "./webhook.ts";

/** The result of an attempt without a response. */
export type FailureReason = NoResponse | "its account is disabled";

/** An event for a receiver. */
export interface Delivery {
  readonly id: string;
  readonly type: string;
  /** JSON, as it is sent. */
  readonly body: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Null before the first attempt. */
  readonly result: string | null;
  readonly createdAt: Instant;
  /** Null unless it waits. */
  readonly nextAttemptAt: Instant | null;
}

function toDelivery(row: Authentic<"webhook_delivery">): Delivery {
  const { id, body, state, attempts, result, created_at: createdAt } = row;
  const { type } = JSON.parse(body) as { type: string };
  const nextAttemptAt = state === "waiting" ? row.next_attempt_at : null;
  return { id, type, body, state, attempts, result, createdAt, nextAttemptAt };
}

/** Lists the latest deliveries of a webhook, newest first, at most 100. Throws `not_found`. */
export async function listDeliveries(
  db: Db,
  authority: RowAuthority,
  which: { readonly subject: WebhookSubject; readonly id: string },
): Promise<readonly Delivery[]> {
  const { id } = await getWebhook(db, authority, which);
  const rows = await listRows(db, authority, "webhook_delivery", "latestOfWebhook", { webhook_id: id });
  return rows.slice(0, LATEST).map(toDelivery);
}

/** Sends a delivery again at once, for another day, with the same id. Throws `not_found`. */
export async function sendAgain(
  db: Db,
  authority: RowAuthority,
  { subject, id, now }: { readonly subject: WebhookSubject; readonly id: string; readonly now: Instant },
): Promise<Delivery> {
  const row = await findRow(db, authority, "webhook_delivery", "byId", { id });
  if (row !== undefined) {
    await getWebhook(db, authority, { subject, id: row.webhook_id });
    const again = await replaceIfUnchanged(db, authority, "webhook_delivery", row, {
      state: "waiting",
      attempts: 0,
      next_attempt_at: now,
      expires_at: now + DELIVERY_LIFETIME,
    });
    if (again !== undefined) return toDelivery(again);
    // An attempt ends at this moment.
    const present = await findRow(db, authority, "webhook_delivery", "byId", { id });
    if (present !== undefined) return toDelivery(present);
  }
  throw new ProtocolError("not_found", "There is no such delivery");
}
