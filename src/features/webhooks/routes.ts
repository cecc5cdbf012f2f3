import { type Route, route } from "../../http/route.ts";
import { DeliveryAnswer, DeliveryList, WebhookAdded, WebhookList } from "./schema.ts";
import {
  addServiceWebhook,
  addUserWebhook,
  SERVICE_WEBHOOKS,
  USER_WEBHOOKS,
  type WebhookEndpoints,
} from "./webhooks.ts";

/** Whose webhooks a set of routes has. */
interface Owner {
  readonly base: string;
  readonly tag: "Webhooks" | "Admin";
  /** The beginning of operation ids and the end of summaries. */
  readonly of: readonly [id: string, summary: string];
}

function sharedRoutes({ base, tag, of: [id, whose] }: Owner, endpoints: WebhookEndpoints): readonly Route[] {
  return [
    route("GET", base, endpoints.list, {
      id: `list${id}Webhooks`,
      tag,
      summary: `List ${whose} webhooks, oldest first`,
      returns: { 200: WebhookList },
    }),
    route("GET", `${base}/:webhookId/deliveries`, endpoints.listDeliveries, {
      id: `list${id}WebhookDeliveries`,
      tag,
      summary: "List the latest 100 deliveries of a webhook, newest first",
      returns: { 200: DeliveryList },
    }),
    route("POST", `${base}/deliveries/:deliveryId/send-again`, endpoints.sendAgain, {
      id: `send${id}WebhookDeliveryAgain`,
      tag,
      summary: "Send a delivery again, with the same id",
      returns: { 200: DeliveryAnswer },
    }),
    route("DELETE", `${base}/:webhookId`, endpoints.remove, {
      id: `delete${id}Webhook`,
      tag,
      summary: "Delete a webhook with its deliveries",
      returns: { 204: null },
    }),
  ];
}

export const WEBHOOK_ROUTES: readonly Route[] = [
  route("POST", "/api/auth/webhooks", addUserWebhook, {
    id: "addWebhook",
    tag: "Webhooks",
    summary: "Add a webhook for events of your account",
    description: "Needs a sign-in within the last 10 minutes, or the step-up `add_webhook`.",
    returns: { 201: WebhookAdded },
    limits: ["webhook"],
    codes: ["fresh_session_required", "too_many_webhooks"],
  }),
  ...sharedRoutes({ base: "/api/auth/webhooks", tag: "Webhooks", of: ["", "your"] }, USER_WEBHOOKS),
  route("POST", "/api/admin/webhooks", addServiceWebhook, {
    id: "addServiceWebhook",
    tag: "Admin",
    summary: "Add a webhook for events of all accounts and of the service",
    returns: { 201: WebhookAdded },
    codes: ["too_many_webhooks"],
  }),
  ...sharedRoutes(
    { base: "/api/admin/webhooks", tag: "Admin", of: ["Service", "the administrator's"] },
    SERVICE_WEBHOOKS,
  ),
];
