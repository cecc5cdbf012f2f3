import { toAccountView, toFrame } from "../../http/frame-view.ts";
import { formSession, pageSession } from "../../http/guard/account-guards.ts";
import { administrator } from "../../http/guard/administrator-guard.ts";
import type { Guard } from "../../http/guard/guard.ts";
import { NO_MEMBERS } from "../../http/request/input.ts";
import { htmlPage, redirect } from "../../http/response/respond.ts";
import { defineEndpoint, type Endpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { listDeliveries, sendAgain } from "../../webhooks/delivery.ts";
import { deleteWebhook, listWebhooks, type WebhookSubject } from "../../webhooks/webhook.ts";
import {
  ADMIN_PAGE,
  adminWebhooksPage,
  type ListedWebhook,
  USER_PAGE,
  userWebhooksPage,
} from "./webhooks-page.ts";
import { toDeliveryJson, toWebhookJson } from "./webhooks.ts";

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

export const showServiceWebhooks = defineEndpoint(
  administrator,
  {},
  async (context, _principal, _input, services) =>
    htmlPage(
      200,
      adminWebhooksPage({ frame: toFrame(services, context), webhooks: await listShown(services, null) }),
    ),
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
