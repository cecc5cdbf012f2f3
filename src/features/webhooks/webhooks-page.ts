import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { type AccountView, type FrameView, layout } from "../../ui/layout.ts";
import { shown, time } from "../../ui/parts.ts";
import { actButton, adminLayout, confirmedAct } from "../../ui/section/admin-frame.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";
import type { DeliveryView, WebhookView } from "./schema.ts";

/** A webhook with its latest deliveries, newest first. */
export interface ListedWebhook extends WebhookView {
  readonly deliveries: readonly DeliveryView[];
}

type Messages = typeof en.webhooks;

function resultText(result: string, messages: Messages): string {
  const { status, results } = messages;
  if (Object.hasOwn(results, result)) return results[result as keyof typeof results];
  return status(result.replace(/^status /, ""));
}

function deliveryRow(delivery: DeliveryView, base: string, language: Language): Html {
  const messages = messagesIn(language, { en, de }).webhooks;
  const { id, type, state, attempts, result, createdAt, nextAttemptAt } = delivery;
  return html`
    <li class="row">
      <div class="row-main">
        <h4 class="row-title">${shown(type)} <span class="badge">${messages.states[state]}</span></h4>
        <p class="facts-line">
          <span>${time(createdAt, language)}</span>
          <span>${messages.attempts(attempts)}</span>
          ${result !== null && html`<span>${resultText(result, messages)}</span>`}
          ${nextAttemptAt !== null && html`<span>${messages.next} ${time(nextAttemptAt, language)}</span>`}
        </p>
      </div>
      <div class="row-actions">${actButton(`${base}/deliveries/${id}/send-again`, messages.sendAgain)}</div>
    </li>
  `;
}

function webhookCard(webhook: ListedWebhook, base: string, language: Language): Html {
  const messages = messagesIn(language, { en, de }).webhooks;
  const { id, url, events, deliveries, createdAt, publicKey } = webhook;
  return html`
    <section class="card stack" aria-labelledby="${id}">
      <h2 id="${id}" class="row-title">${shown(url)}</h2>
      <p class="facts-line">
        <span>${messages.events} ${events.join(", ")}</span>
        <span>${messages.since} ${time(createdAt, language)}</span>
        ${publicKey !== null && html`<span>${messages.publicKey} <code>${publicKey}</code></span>`}
      </p>
      <h3>${messages.deliveries}</h3>
      ${deliveries.length === 0
        ? html`<p class="empty">${messages.noDeliveries}</p>`
        : html`<ul class="rows">${deliveries.map((one) => deliveryRow(one, base, language))}</ul>`}
      ${confirmedAct(`${base}/${id}/delete`, messages.remove, messages.removal)}
    </section>
  `;
}

function content(
  webhooks: readonly ListedWebhook[],
  lead: string,
  at: { base: string; language: Language },
): Html {
  const messages: Messages = messagesIn(at.language, { en, de }).webhooks;
  return html`
    <div class="stack-sections">
      <div class="stack"><h1>${messages.title}</h1><p class="hint">${lead}</p></div>
      ${webhooks.length === 0
        ? html`<p class="empty">${messages.none}</p>`
        : webhooks.map((webhook) => webhookCard(webhook, at.base, at.language))}
    </div>
  `;
}

/** The paths of the pages, which the forms on them begin with. */
export const USER_PAGE = "/developer/webhooks";
export const ADMIN_PAGE = "/admin/webhooks";

export function userWebhooksPage(
  { account, webhooks }: { readonly account: AccountView; readonly webhooks: readonly ListedWebhook[] },
): Html {
  const { language } = account;
  const { title, lead } = messagesIn(language, { en, de }).webhooks;
  const body = content(webhooks, lead, { base: USER_PAGE, language });
  return layout({ title, account, place: "developer", content: body });
}

export function adminWebhooksPage(
  { frame, webhooks }: { readonly frame: FrameView; readonly webhooks: readonly ListedWebhook[] },
): Html {
  const { language } = frame;
  const { title, adminLead } = messagesIn(language, { en, de }).webhooks;
  const body = content(webhooks, adminLead, { base: ADMIN_PAGE, language });
  return adminLayout({ frame, place: "webhooks", title, content: body });
}
