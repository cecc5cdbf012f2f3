import type { SignedIn } from "../../accounts/session/session.ts";
import { consumeFreshness, requireFreshSession } from "../../accounts/session/fresh-session.ts";
import type { Of } from "../../api/value.ts";
import { session } from "../../http/guard/account-guards.ts";
import { type Admin, admin } from "../../http/guard/admin-guard.ts";
import type { Guard } from "../../http/guard/guard.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { withRateLimitHeaders } from "../../http/response/rate-limit.ts";
import { json, noContent } from "../../http/response/respond.ts";
import { defineEndpoint, type Endpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { toIso } from "../../lib/time.ts";
import { type Delivery, listDeliveries, sendAgain } from "../../webhooks/delivery.ts";
import { requireUrl } from "../../webhooks/url.ts";
import { addWebhook, deleteWebhook, listWebhooks } from "../../webhooks/webhook.ts";
import type { Webhook, WebhookSubject } from "../../webhooks/webhook.ts";
import { ServiceWebhookBody, UserWebhookBody } from "./schema.ts";
import type {
  DeliveryAnswer,
  DeliveryList,
  DeliveryView,
  WebhookAdded,
  WebhookList,
  WebhookView,
} from "./schema.ts";

/** Formats a webhook without its secret. */
export async function toWebhookJson(
  webhook: Webhook,
  { vault }: Pick<Services, "vault">,
): Promise<WebhookView> {
  const { id, url, events, signature, createdAt } = webhook;
  const publicKey = signature === "ed25519"
    ? `whpk_${(await vault.webhookVerificationKey(webhook)).key.toBase64()}`
    : null;
  return { id, url, events: [...events], signature, publicKey, createdAt: toIso(createdAt) };
}

export function toDeliveryJson(delivery: Delivery): DeliveryView {
  const { createdAt, nextAttemptAt } = delivery;
  const next = nextAttemptAt === null ? null : toIso(nextAttemptAt);
  return { ...delivery, createdAt: toIso(createdAt), nextAttemptAt: next };
}

type Settings = Pick<Webhook, "subject" | "url" | "events" | "signature">;

/**
 * Adds a webhook after the check of its URL, and returns it with its secret, if it has one. The check takes as long as
 * the host wants, so `authorize` checks in the transaction that the requester still may.
 */
export async function addChecked(
  { now }: Pick<RequestContext, "now">,
  services: Services,
  settings: Settings,
  authorize: (tx: Services["db"]) => Promise<void>,
): Promise<Of<typeof WebhookAdded>> {
  const { db, vault, outgoing, webhookHosts, random } = services;
  await requireUrl(settings.url, webhookHosts, outgoing);
  const webhook = await addWebhook(db, services, { ...settings, authorize, now, random });
  const secret = webhook.signature === "hmac"
    ? `whsec_${(await vault.webhookVerificationKey(webhook)).key.toBase64()}`
    : null;
  return { webhook: await toWebhookJson(webhook, services), secret };
}

/** Adds a webhook of the signed-in user. Each looks up a host that the user chooses. */
export const addUserWebhook = defineEndpoint(
  session,
  { body: UserWebhookBody },
  async (context, signedIn, { body }, services) => {
    const { account } = signedIn;
    const { now } = context;
    const act = { session: signedIn.session, action: "add_webhook", now } as const;
    requireFreshSession(act);
    const { limits } = withRateLimitHeaders(context, services);
    await services.groupCommit.run((tx) => limits.take(tx, "webhook", account.id, now), {
      accountId: account.id,
    });
    const added = await addChecked(
      context,
      services,
      { subject: account.id, ...body },
      (tx) => consumeFreshness(tx, services.authority, act),
    );
    return json<typeof WebhookAdded>(201, added);
  },
);

export const addServiceWebhook = defineEndpoint(
  admin,
  { body: ServiceWebhookBody },
  async (context, _principal, { body }, services) => {
    // The administrator's key does not end.
    const authorize = (): Promise<void> => Promise.resolve();
    const added = await addChecked(context, services, { subject: null, ...body }, authorize);
    return json<typeof WebhookAdded>(201, added);
  },
);

/** The endpoints that a user and an administrator have alike. */
export interface WebhookEndpoints {
  readonly list: Endpoint;
  readonly listDeliveries: Endpoint;
  readonly sendAgain: Endpoint;
  readonly remove: Endpoint;
}

function endpointsOf<P>(
  guard: Guard<P, Services>,
  subjectOf: (principal: P) => WebhookSubject,
): WebhookEndpoints {
  return {
    list: defineEndpoint<P, { query: typeof NO_MEMBERS }>(
      guard,
      { query: NO_MEMBERS },
      async (_context, principal, _input, services) => {
        const webhooks = await listWebhooks(services.db, services.authority, subjectOf(principal));
        const shown = await Promise.all(webhooks.map((webhook) => toWebhookJson(webhook, services)));
        return json<typeof WebhookList>(200, { webhooks: shown });
      },
    ),
    listDeliveries: defineEndpoint<P, { query: typeof NO_MEMBERS }>(
      guard,
      { query: NO_MEMBERS },
      async ({ params }, principal, _input, { db, authority }) => {
        const which = { subject: subjectOf(principal), id: params.webhookId! };
        const deliveries = await listDeliveries(db, authority, which);
        return json<typeof DeliveryList>(200, { deliveries: deliveries.map(toDeliveryJson) });
      },
    ),
    sendAgain: defineEndpoint<P, { optionalBody: typeof NO_MEMBERS }>(
      guard,
      { optionalBody: NO_MEMBERS },
      async ({ params, now }, principal, _input, { db, authority, webhookDelivery }) => {
        const which = { subject: subjectOf(principal), id: params.deliveryId!, now };
        const delivery = await sendAgain(db, authority, which);
        webhookDelivery.wake();
        return json<typeof DeliveryAnswer>(200, { delivery: toDeliveryJson(delivery) });
      },
    ),
    remove: defineEndpoint<P, { optionalBody: typeof NO_MEMBERS }>(
      guard,
      { optionalBody: NO_MEMBERS },
      async ({ params, now }, principal, _input, services) => {
        const which = { subject: subjectOf(principal), id: params.webhookId!, now };
        await deleteWebhook(services.db, services, which);
        return noContent();
      },
    ),
  };
}

export const USER_WEBHOOKS = endpointsOf<SignedIn>(session, ({ account }) => account.id);

export const SERVICE_WEBHOOKS = endpointsOf<Admin>(admin, () => null);
