import { pageRoute, type Route, route } from "../../http/route.ts";
import {
  addServiceWebhookByForm,
  SERVICE_FORMS,
  showServiceWebhooks,
  showUserWebhooks,
  USER_FORMS,
} from "./pages.ts";
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
  pageRoute("GET", "/developer/webhooks", showUserWebhooks, {
    id: "webhooksPage",
    summary: "Your webhooks and their latest deliveries",
  }),
  pageRoute("POST", "/developer/webhooks/deliveries/:deliveryId/send-again", USER_FORMS.sendAgain, {
    id: "sendDeliveryAgainByForm",
    summary: "Send a delivery again",
    codes: ["not_found"],
  }),
  pageRoute("POST", "/developer/webhooks/:webhookId/delete", USER_FORMS.remove, {
    id: "deleteWebhookByForm",
    summary: "Delete a webhook",
    codes: ["not_found"],
  }),
  pageRoute("GET", "/admin/webhooks", showServiceWebhooks, {
    id: "adminWebhooksPage",
    summary: "The administrator's webhooks and their latest deliveries",
  }),
  pageRoute("POST", "/admin/webhooks", addServiceWebhookByForm, {
    id: "addServiceWebhookByForm",
    summary: "Add a webhook, and show its secret",
    codes: ["authentication_required", "too_many_webhooks"],
  }),
  pageRoute("POST", "/admin/webhooks/deliveries/:deliveryId/send-again", SERVICE_FORMS.sendAgain, {
    id: "sendServiceDeliveryAgainByForm",
    summary: "Send a delivery again",
    codes: ["not_found"],
  }),
  pageRoute("POST", "/admin/webhooks/:webhookId/delete", SERVICE_FORMS.remove, {
    id: "deleteServiceWebhookByForm",
    summary: "Delete a webhook",
    codes: ["not_found"],
  }),
];
