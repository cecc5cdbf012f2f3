import * as v from "valibot";
import { list, type Of, Time } from "../../api/value.ts";
import { SERVICE_WEBHOOK_EVENTS, USER_EVENTS } from "../../webhooks/webhook.ts";

export const signature = v.picklist(["hmac", "ed25519"]);

function bodyFor<const T extends readonly string[]>(names: T) {
  return v.strictObject({
    url: v.string(),
    events: v.pipe(
      v.array(v.picklist(names)),
      v.minLength(1),
      v.check((events) => new Set(events).size === events.length, "Expected each event once"),
    ),
    signature,
  });
}

export const UserWebhookBody = bodyFor(USER_EVENTS);
export const ServiceWebhookBody = bodyFor(SERVICE_WEBHOOK_EVENTS);

/** The form of the administrator's page. Names of events are separated by blanks. */
export const ServiceWebhookForm = v.strictObject({ url: v.string(), events: v.string(), signature });

export type ServiceWebhookFields = v.InferOutput<typeof ServiceWebhookForm>;

export const Webhook = v.strictObject({
  id: v.string(),
  url: v.string(),
  events: list(v.string()),
  signature,
  publicKey: v.pipe(
    v.nullable(v.string()),
    v.description("`whpk_…`, which verifies deliveries signed with Ed25519; null with `hmac`"),
  ),
  createdAt: Time,
});

export type WebhookView = Of<typeof Webhook>;

export const WebhookAdded = v.strictObject({
  webhook: Webhook,
  secret: v.pipe(
    v.nullable(v.string()),
    v.description(
      "`whsec_…`, which verifies deliveries signed with HMAC. Shown only here; null with `ed25519`",
    ),
  ),
});

export const WebhookList = v.strictObject({ webhooks: list(Webhook) });

const WebhookDelivery = v.strictObject({
  id: v.pipe(v.string(), v.description("The `webhook-id` of every attempt")),
  type: v.string(),
  state: v.picklist(["waiting", "delivered", "failed"]),
  attempts: v.pipe(v.number(), v.integer()),
  result: v.pipe(
    v.nullable(v.string()),
    v.description(
      "The end of the last attempt, such as `status 503`, `too slow` or `unreachable`; null before",
    ),
  ),
  createdAt: Time,
  nextAttemptAt: v.nullable(Time),
  body: v.pipe(v.string(), v.description("The JSON text that is sent")),
});

export type DeliveryView = Of<typeof WebhookDelivery>;

export const DeliveryList = v.strictObject({ deliveries: list(WebhookDelivery) });

export const DeliveryAnswer = v.strictObject({ delivery: WebhookDelivery });
