import type { Account } from "../accounts/account.ts";
import { findAccountOfSession } from "../accounts/session/session.ts";
import { startLogWorker } from "../audit/follow-entries.ts";
import type { Db } from "../db/schema/schema.ts";
import { isPending } from "../keys/signing-requests/signing-request.ts";
import type { DeliveryWorker } from "../lib/delivery-worker.ts";
import { nextAttempt, type NoResponse, postDelivery } from "../lib/delivery.ts";
import type { Log } from "../lib/log.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { AllowedHosts, Outgoing } from "../lib/outgoing.ts";
import { type Clock, type Instant, SECOND } from "../lib/time.ts";
import type { Authentic } from "../store/authentic.ts";
import { claimDue } from "../store/claim-due.ts";
import { findRow } from "../store/read.ts";
import { consumeRow, replaceIfUnchanged } from "../store/write.ts";
import type { RowAuthority } from "../vault/authority.ts";
import { findUrlFault } from "../webhooks/url.ts";
import { createMessages, type PushFanOutServices } from "./fan-out.ts";
import { formatPayload, type PushMessage } from "./message.ts";
import type { PushKeys } from "./keys.ts";
import { createPushRequest } from "./push-request.ts";

export interface PushDeliveryServices extends PushFanOutServices {
  readonly pushKeys: PushKeys;
  readonly pushHosts: AllowedHosts;
  readonly outgoing: Outgoing;
  readonly now: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

type Subscription = Authentic<"push_subscription">;
type Delivery = Authentic<"push_delivery">;

/** Maximum concurrent messages to one browser. */
const MOST_OF_RECEIVER = 2;

const CONCURRENCY = 32;

/** The result of an attempt. `gone`: the push service has no such subscription any more. */
interface Outcome {
  readonly kind: "delivered" | "gone" | "refused" | "failed";
  /** For the log. */
  readonly reason: string;
}

/** Returns the meaning of a push service's status (RFC 8030 sections 5 to 8). A redirect is a refusal. */
function toOutcome(status: number | NoResponse): Outcome {
  if (typeof status === "string") {
    return { kind: status === "its host is not allowed" ? "refused" : "failed", reason: status };
  }
  const reason = `status ${status}`;
  if (status >= 200 && status < 300) return { kind: "delivered", reason };
  if (status === 404 || status === 410) return { kind: "gone", reason };
  return { kind: status === 429 || status >= 500 ? "failed" : "refused", reason };
}

/** Claims due messages, at most two in flight for each browser. */
export function claimMessages(
  db: Db,
  { authority }: Pick<PushDeliveryServices, "authority">,
  claim: { limit: number; inFlight: readonly Delivery[]; now: Instant },
): Promise<readonly Delivery[]> {
  const receivers = {
    receiverOf: ({ subscription_id }: Delivery) => subscription_id,
    mostOfReceiver: MOST_OF_RECEIVER,
  };
  return claimDue(db, authority, "push_delivery", { ...claim, ...receivers });
}

/**
 * Sends a claimed message and deletes it. Retries later, or gives up, if the push service does not accept it. Deletes
 * the subscription if its session has ended, or the push service does not know it. `broken` aborts the attempt. Throws
 * only on a database failure.
 */
async function deliverMessage(
  db: Db,
  services: PushDeliveryServices,
  delivery: Delivery,
  broken: AbortSignal,
): Promise<void> {
  const { authority, log, metrics, now, random } = services;
  const { id, subscription_id, attempts, body } = delivery;
  const subscription = await findRow(db, authority, "push_subscription", "byId", { id: subscription_id });
  // Deleted meanwhile, and the message with it.
  if (subscription === undefined) return;
  const fields = { subscription: subscription_id, attempts };
  const remove = () => consumeRow(db, authority, "push_delivery", "byId", { id });
  const message = JSON.parse(body) as PushMessage;
  const { account_id, session_id } = subscription;
  const account = await findAccountOfSession(db, authority, { account_id, id: session_id }, now());
  if (account === undefined || !await isWorthSending(db, authority, account, message, now())) {
    // With the session, all that waits for the browser goes.
    await (account === undefined ? end(db, authority, subscription) : remove());
    return log("info", "push_dropped", fields);
  }
  const payload = formatPayload(message, account.language);
  const outcome = await send(services, subscription, { delivery, payload, kind: message.kind, broken });
  if (outcome.kind === "delivered") {
    await remove();
    return log("info", "push_delivered", fields);
  }
  metrics.count("holdfast_delivery_failures_total", "push");
  if (outcome.kind === "gone") {
    await end(db, authority, subscription);
    return log("info", "push_subscription_gone", { subscription: subscription_id, reason: outcome.reason });
  }
  const next = outcome.kind === "failed" ? nextAttempt(delivery, now(), random) : undefined;
  if (next !== undefined) {
    await replaceIfUnchanged(db, authority, "push_delivery", delivery, { next_attempt_at: next });
    return log("warn", "push_deferred", { ...fields, reason: outcome.reason });
  }
  await remove();
  log("warn", "push_given_up", { ...fields, reason: outcome.reason });
}

/** Returns false for a signing request that has ended meanwhile. */
async function isWorthSending(
  db: Db,
  authority: RowAuthority,
  { id: account_id }: Account,
  { requestId }: PushMessage,
  now: Instant,
): Promise<boolean> {
  if (requestId === null) return true;
  const row = await findRow(db, authority, "signing_request", "ofAccountById", { account_id, id: requestId });
  return row !== undefined && isPending(row, now);
}

/** Deletes a subscription with its messages, but not one that replaced it. */
async function end(db: Db, authority: RowAuthority, { id }: Subscription): Promise<void> {
  await consumeRow(db, authority, "push_subscription", "byId", { id });
}

async function send(
  { outgoing, pushHosts, pushKeys, now }: PushDeliveryServices,
  subscription: Subscription,
  { delivery, payload, kind, broken }: {
    readonly delivery: Delivery;
    readonly payload: string;
    readonly kind: PushMessage["kind"];
    readonly broken: AbortSignal;
  },
): Promise<Outcome> {
  const seconds = Math.ceil((delivery.expires_at - now()) / SECOND);
  const { endpoint, p256dh, auth } = subscription;
  const urgency = kind === "signature_asked" ? "high" : "normal";
  const keys = { p256dh, auth };
  const request = await createPushRequest(pushKeys, { endpoint, keys }, { payload, seconds, urgency });
  const isAllowed = findUrlFault(endpoint, pushHosts) === undefined;
  return toOutcome(
    await postDelivery(endpoint, outgoing, { isAllowed, hosts: pushHosts, broken, ...request }),
  );
}

/** Creates and sends messages. Several processes may do so over one database. */
export function startPush(db: Db, services: PushDeliveryServices): DeliveryWorker {
  const { log, now } = services;
  const broken = new AbortController();
  return startLogWorker<Delivery>(db, {
    concurrency: CONCURRENCY,
    receivers: "push_subscription",
    create: () => createMessages(db, services, now()),
    claim: (limit, inFlight) => claimMessages(db, services, { limit, inFlight, now: now() }),
    deliver: (delivery) => deliverMessage(db, services, delivery, broken.signal),
    failed: (error) => log("error", "push_failed", { error: String(error) }),
    abort: () => broken.abort(),
  });
}
