import { authenticated, column, integer, mutable, nullable, text, time } from "./column.ts";

/** How a delivery is signed (Standard Webhooks): with a shared secret, or with a key of the service. */
export type WebhookSignature = "hmac" | "ed25519";

export type DeliveryState = "waiting" | "delivered" | "failed";

/**
 * The audit log entry up to which deliveries were created: a row for webhooks, and one for push messages. Editing it
 * loses deliveries or repeats them.
 */
export interface WebhookPositionTable {
  id: number;
  seq: number;
}

export const WEBHOOK_TABLES = {
  /** A receiver of events. Its secret or key follows from the seed and its id. */
  webhook: authenticated(1, {
    id: text,
    /** The account whose events it gets; null for those of all accounts and of the service. */
    subject: nullable(text),
    url: text,
    /** Names of events, separated by spaces. */
    events: text,
    signature: column<WebhookSignature>(),
    created_at: time,
  }),

  /**
   * An event for a receiver, kept for a while after its delivery. The MAC covers what is signed and to whom it goes.
   */
  webhook_delivery: authenticated(1, {
    /** The `webhook-id`, the same for every attempt. */
    id: text,
    webhook_id: text,
    /** JSON, sent as it is. */
    body: text,
    created_at: time,
    state: mutable(column<DeliveryState>(), "a receiver gets an event of its own again, or not at all"),
    /** The time after which it is not tried any more. */
    expires_at: mutable(time, "as with the state"),
    /** The number of attempts that were started. */
    attempts: mutable(integer, "as with the state"),
    /** The time of the next attempt. A process moves it ahead before it starts one. */
    next_attempt_at: mutable(time, "as with the state"),
    /** The result of the last attempt, such as `status 503`; null before. */
    result: mutable(nullable(text), "a wrong result in the receiver's list"),
    settled_at: mutable(nullable(time), "a wrong time in the receiver's list"),
  }),
};
