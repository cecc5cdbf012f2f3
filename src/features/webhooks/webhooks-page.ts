import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { defineScript, type Script } from "../../ui/assets.ts";
import { type AccountView, type FrameView, layout } from "../../ui/layout.ts";
import { alertRegion, copyButton, needsScript, shown, statusRegion, time } from "../../ui/parts.ts";
import { actButton, adminField, adminLayout, confirmedAct } from "../../ui/section/admin-frame.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";
import { type DeliveryView, type ServiceWebhookFields, signature, type WebhookView } from "./schema.ts";
import { USER_EVENTS } from "../../webhooks/webhook.ts";
import * as webhooksScript from "./webhooks.client.js" with { type: "text" };

export const WEBHOOKS_SCRIPT: Script = defineScript(
  "webhooks.client.js",
  { "webhooks.client.js": webhooksScript },
  { en, de },
);

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

/** Renders the form that adds a webhook, and the place of its secret, which is shown once. */
function addForm(language: Language): Html {
  const messages: Messages = messagesIn(language, { en, de }).webhooks;
  return html`
    <section class="card stack" aria-labelledby="add-title">
      <h2 id="add-title">${messages.add}</h2>
      ${needsScript(language)} ${alertRegion("webhook-alert")}
      <form id="webhook-form">
        <fieldset disabled class="stack">
          <div class="field">
            <label for="webhook-url">${messages.url}</label>
            <input id="webhook-url" name="url" type="url" maxlength="2000" required autocomplete="off">
          </div>
          <fieldset class="choices">
            <legend>${messages.which}</legend>
            ${USER_EVENTS.map((name) =>
              html`<label class="choice"><input type="checkbox" name="events" value="${name}"
                ${name === "webhook_added" && html`checked`}> <code>${name}</code></label>`
            )}
          </fieldset>
          ${signatureField(messages, "hmac")}
          <p class="actions"><button class="button primary" type="submit">${messages.add}</button></p>
        </fieldset>
      </form>
      ${statusRegion("webhook-status")}
      <div id="webhook-made" class="notice stack" hidden>
        <p>${messages.shownOnce}</p>
        <p class="copyable"><code id="webhook-secret"></code> ${copyButton(
          "webhook-secret",
          messages.theSecret,
          language,
        )}</p>
      </div>
    </section>
  `;
}

function signatureField(messages: Messages, chosen: WebhookView["signature"]): Html {
  return html`
    <div class="field">
      <label for="webhook-signature">${messages.signature}</label>
      <select id="webhook-signature" name="signature">
        ${signature.options.map((name) =>
          html`<option value="${name}" ${name === chosen && html`selected`}>${
            messages.signatures[name]
          }</option>`
        )}
      </select>
    </div>
  `;
}

/** Renders the administrator's form, which works without a script, and the secret of the webhook just added. */
function adminAddForm({ sent, fault, secret }: AdminWebhooksData, language: Language): Html {
  const messages: Messages = messagesIn(language, { en, de }).webhooks;
  return html`
    <section class="card stack" aria-labelledby="add-title">
      <h2 id="add-title">${messages.add}</h2>
      ${secret !== undefined && html`
        <div class="notice stack" role="status">
          <p>${messages.addedNow}</p>
          ${secret !== null && html`
            <p>${messages.shownOnce}</p>
            <p class="copyable"><code>${secret}</code></p>
          `}
        </div>
      `}
      <form method="post" action="${ADMIN_PAGE}" class="stack">
        ${adminField({
          name: "url",
          label: messages.url,
          value: sent.url,
          type: "url",
          fault: fault === "url" ? messages.faults.url : undefined,
        })}
        ${adminField({
          name: "events",
          label: messages.which,
          value: sent.events,
          hint: messages.names,
          fault: fault === "events" ? messages.faults.events : undefined,
        })}
        ${signatureField(messages, sent.signature)}
        <p class="actions"><button class="button primary" type="submit">${messages.add}</button></p>
      </form>
    </section>
  `;
}

export interface AdminWebhooksData {
  readonly frame: FrameView;
  readonly webhooks: readonly ListedWebhook[];
  /** The values of the form. */
  readonly sent: ServiceWebhookFields;
  /** The field with a wrong value. */
  readonly fault: "url" | "events" | undefined;
  /** The secret of the webhook just added, null if it has none; undefined if none was added. */
  readonly secret: string | null | undefined;
}

function content(
  webhooks: readonly ListedWebhook[],
  lead: string,
  at: { base: string; language: Language; form?: Html },
): Html {
  const messages: Messages = messagesIn(at.language, { en, de }).webhooks;
  return html`
    <div class="stack-sections">
      <div class="stack"><h1>${messages.title}</h1><p class="hint">${lead}</p></div>
      ${at.form}
      <div id="webhook-list" class="stack-sections">
        ${webhooks.length === 0
          ? html`<p class="empty">${messages.none}</p>`
          : webhooks.map((webhook) => webhookCard(webhook, at.base, at.language))}
      </div>
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
  const body = content(webhooks, lead, { base: USER_PAGE, language, form: addForm(language) });
  return layout({ title, account, place: "developer", script: WEBHOOKS_SCRIPT, content: body });
}

export function adminWebhooksPage(data: AdminWebhooksData): Html {
  const { frame, webhooks } = data;
  const { language } = frame;
  const { title, adminLead } = messagesIn(language, { en, de }).webhooks;
  const body = content(webhooks, adminLead, {
    base: ADMIN_PAGE,
    language,
    form: adminAddForm(data, language),
  });
  return adminLayout({ frame, place: "webhooks", title, content: body });
}
