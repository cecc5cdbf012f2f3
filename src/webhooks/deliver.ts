import { startLogWorker } from "../audit/follow-entries.ts";
import type { Db } from "../db/schema/schema.ts";
import { utf8 } from "../lib/bytes.ts";
import type { DeliveryWorker } from "../lib/delivery-worker.ts";
import { NEVER, nextAttempt, postDelivery } from "../lib/delivery.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { AllowedHosts, Outgoing } from "../lib/outgoing.ts";
import { type Clock, type Instant, SECOND } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { claimDue } from "../store/claim-due.ts";
import { findRow } from "../store/read.ts";
import { replaceIfUnchanged } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import type { FailureReason } from "./delivery.ts";
import { createDeliveries, type FanOutServices } from "./fan-out.ts";
import { findUrlFault } from "./url.ts";

export interface WebhookDeliveryServices extends FanOutServices {
  readonly outgoing: Outgoing;
  readonly webhookHosts: AllowedHosts;
  readonly now: Clock;
  readonly metrics: Metrics;
}

type Delivery = Authentic<"webhook_delivery">;

/** Maximum concurrent deliveries to one receiver, so that a slow one does not block others. */
const MOST_OF_RECEIVER = 2;

const CONCURRENCY = 32 * MOST_OF_RECEIVER;

/** The result of an attempt. The reason is for the log and the receiver's list. */
interface Outcome {
  readonly kind: "delivered" | "refused" | "failed";
  readonly reason: FailureReason | `status ${number}`;
}

/** A disabled account grants nothing. Its deliveries wait, in case it is enabled within their day. */
const ACCOUNT_DISABLED: Outcome = { kind: "failed", reason: "its account is disabled" };

/** The status by which a receiver says that it is gone for good. */
const GONE = 410;

/** Claims due deliveries, at most two in flight for each receiver. */
function claimDeliveries(
  db: Db,
  { authority }: Pick<WebhookDeliveryServices, "authority">,
  claim: { limit: number; inFlight: readonly Delivery[]; now: Instant },
): Promise<readonly Delivery[]> {
  const receivers = {
    receiverOf: ({ webhook_id }: Delivery) => webhook_id,
    mostOfReceiver: MOST_OF_RECEIVER,
  };
  return claimDue(db, authority, "webhook_delivery", { ...claim, ...receivers });
}

/**
 * Sends a claimed delivery (Standard Webhooks) and settles it. Retries later, or gives up, if the receiver does not
 * accept it. `broken` aborts the attempt. Throws only on a database failure.
 */
export async function deliver(
  db: Db,
  services: WebhookDeliveryServices,
  delivery: Delivery,
  broken: AbortSignal,
): Promise<void> {
  const { authority, log, metrics, now, random } = services;
  const { id, webhook_id, attempts } = delivery;
  const webhook = await findRow(db, authority, "webhook", "byId", { id: webhook_id });
  // Deleted meanwhile, and the delivery with it.
  if (webhook === undefined) return;
  const outcome = await isOfDisabledAccount(db, authority, webhook)
    ? ACCOUNT_DISABLED
    : await send(services, webhook, delivery, broken);
  const fields = { webhook: webhook_id, delivery: id, attempts };
  const settle = (change: Partial<Pick<Delivery, "state" | "next_attempt_at" | "settled_at">>) =>
    replaceIfUnchanged(db, authority, "webhook_delivery", delivery, { result: outcome.reason, ...change });
  if (outcome.kind === "delivered") {
    await settle({ state: "delivered", next_attempt_at: NEVER, settled_at: now() });
    return log("info", "webhook_delivered", fields);
  }
  metrics.count("holdfast_delivery_failures_total", "webhook");
  const next = outcome.kind === "failed" ? nextAttempt(delivery, now(), random) : undefined;
  if (next !== undefined) {
    await settle({ next_attempt_at: next });
    return log("warn", "webhook_deferred", { ...fields, reason: outcome.reason });
  }
  await settle({ state: "failed", next_attempt_at: NEVER, settled_at: now() });
  log("warn", "webhook_given_up", { ...fields, reason: outcome.reason });
}

async function isOfDisabledAccount(
  db: Db,
  authority: RowAuthority,
  { subject }: Authentic<"webhook">,
): Promise<boolean> {
  if (subject === null) return false;
  const account = await findRow(db, authority, "account", "byId", { id: subject });
  return account?.disabled_at !== null;
}

async function send(
  services: WebhookDeliveryServices,
  webhook: Authentic<"webhook">,
  { id, body }: Delivery,
  broken: AbortSignal,
): Promise<Outcome> {
  const { outgoing, vault, webhookHosts } = services;
  const timestamp = String(Math.floor(services.now() / SECOND));
  const signature = await vault.signWebhook(webhook, utf8(`${id}.${timestamp}.${body}`));
  const scheme = webhook.signature === "hmac" ? "v1" : "v1a";
  const status = await postDelivery(webhook.url, outgoing, {
    isAllowed: findUrlFault(webhook.url, webhookHosts) === undefined,
    hosts: webhookHosts,
    broken,
    headers: {
      "content-type": "application/json",
      "user-agent": "holdfast",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `${scheme},${signature.toBase64()}`,
    },
    body,
  });
  if (typeof status === "string") return { kind: "failed", reason: status };
  const kind = status >= 200 && status < 300 ? "delivered" : status === GONE ? "refused" : "failed";
  return { kind, reason: `status ${status}` };
}

/** Creates and sends deliveries. Several processes may do so over one database. */
export function startWebhooks(db: Db, services: WebhookDeliveryServices): DeliveryWorker {
  const { log, now } = services;
  const broken = new AbortController();
  return startLogWorker<Delivery>(db, {
    concurrency: CONCURRENCY,
    receivers: "webhook",
    create: () => createDeliveries(db, services, now()),
    claim: (limit, inFlight) => claimDeliveries(db, services, { limit, inFlight, now: now() }),
    deliver: (delivery) => deliver(db, services, delivery, broken.signal),
    failed: (error) => log("error", "webhook_failed", { error: String(error) }),
    abort: () => broken.abort(),
  });
}
