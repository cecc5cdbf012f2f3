import { requireStillOpen } from "../../accounts/admin-session.ts";
import { toAccountView, toFrame } from "../../http/frame-view.ts";
import { formSession, pageSession } from "../../http/guard/account-guards.ts";
import { administrator } from "../../http/guard/administrator-guard.ts";
import type { Guard } from "../../http/guard/guard.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { NO_MEMBERS, readInput } from "../../http/request/input.ts";
import { htmlPage, redirect } from "../../http/response/respond.ts";
import { defineEndpoint, type Endpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { ProtocolError } from "../../lib/error.ts";
import { listDeliveries, sendAgain } from "../../webhooks/delivery.ts";
import { deleteWebhook, listWebhooks, type WebhookSubject } from "../../webhooks/webhook.ts";
import {
  ADMIN_PAGE,
  adminWebhooksPage,
  type ListedWebhook,
  USER_PAGE,
  userWebhooksPage,
} from "./webhooks-page.ts";
import { ServiceWebhookBody, type ServiceWebhookFields, ServiceWebhookForm } from "./schema.ts";
import { addChecked, toDeliveryJson, toWebhookJson } from "./webhooks.ts";

/** The latest deliveries of a webhook that its page shows. */
const SHOWN = 20;

async function listShown(services: Services, subject: WebhookSubject): Promise<readonly ListedWebhook[]> {
  const { db, authority } = services;
  const listed: ListedWebhook[] = [];
  for (const webhook of await listWebhooks(db, authority, subject)) {
    const deliveries = await listDeliveries(db, authority, { subject, id: webhook.id });
    listed.push({
      ...await toWebhookJson(webhook, services),
      deliveries: deliveries.slice(0, SHOWN).map(toDeliveryJson),
    });
  }
  return listed;
}

export const showUserWebhooks = defineEndpoint(
  pageSession,
  {},
  async (context, { account }, _input, services) =>
    htmlPage(
      200,
      userWebhooksPage({
        account: toAccountView(account, services, context),
        webhooks: await listShown(services, account.id),
      }),
    ),
);

const NEW: ServiceWebhookFields = { url: "", events: "webhook_added", signature: "hmac" };

async function servicePage(
  context: RequestContext,
  services: Services,
  { status = 200, sent = NEW, fault, secret }: {
    readonly status?: number;
    readonly sent?: ServiceWebhookFields;
    readonly fault?: "url" | "events";
    readonly secret?: string | null;
  } = {},
): Promise<Response> {
  const webhooks = await listShown(services, null);
  const page = adminWebhooksPage({ frame: toFrame(services, context), webhooks, sent, fault, secret });
  return htmlPage(status, page);
}

export const showServiceWebhooks = defineEndpoint(
  administrator,
  {},
  (context, _principal, _input, services) => servicePage(context, services),
);

/** Adds a webhook, and shows its secret on the page that answers. */
export const addServiceWebhookByForm = defineEndpoint(
  administrator,
  { form: ServiceWebhookForm },
  async (context, { id }, { body: sent }, services) => {
    const authorize = (tx: Services["db"]) =>
      requireStillOpen(tx, services.authority, { id, now: context.now });
    try {
      const events = sent.events.split(/[\s,]+/).filter((name) => name !== "");
      const settings = readInput(ServiceWebhookBody, { ...sent, events });
      const { secret } = await addChecked(context, services, { subject: null, ...settings }, authorize);
      return await servicePage(context, services, { secret });
    } catch (error) {
      if (!(error instanceof ProtocolError) || error.code !== "invalid_request") throw error;
      const fault = error.errors?.[0]?.path === "/url" ? "url" : "events";
      return await servicePage(context, services, { status: 400, sent, fault });
    }
  },
);

/** The endpoints of the forms on a page. */
interface FormEndpoints {
  readonly sendAgain: Endpoint;
  readonly remove: Endpoint;
}

function formsOf<P>(
  page: string,
  guard: Guard<P, Services>,
  subjectOf: (principal: P) => WebhookSubject,
): FormEndpoints {
  return {
    sendAgain: defineEndpoint<P, { form: typeof NO_MEMBERS }>(
      guard,
      { form: NO_MEMBERS },
      async ({ params, now }, principal, _input, { db, authority, webhookDelivery }) => {
        await sendAgain(db, authority, { subject: subjectOf(principal), id: params.deliveryId!, now });
        webhookDelivery.wake();
        return redirect(page);
      },
    ),
    remove: defineEndpoint<P, { form: typeof NO_MEMBERS }>(
      guard,
      { form: NO_MEMBERS },
      async ({ params, now }, principal, _input, services) => {
        await deleteWebhook(services.db, services, {
          subject: subjectOf(principal),
          id: params.webhookId!,
          now,
        });
        return redirect(page);
      },
    ),
  };
}

export const USER_FORMS = formsOf(USER_PAGE, formSession(USER_PAGE), ({ account }) => account.id);

export const SERVICE_FORMS = formsOf(ADMIN_PAGE, administrator, () => null);
