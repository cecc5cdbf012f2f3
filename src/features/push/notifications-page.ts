import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { defineScript, type Script } from "../../ui/assets.ts";
import { type AccountView, layout } from "../../ui/layout.ts";
import { de as kitDe } from "../../ui/messages.de.ts";
import { en as kitEn } from "../../ui/messages.en.ts";
import { alertRegion, shown, statusRegion, time } from "../../ui/parts.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";
import * as notificationsScript from "./notifications.client.js" with { type: "text" };
import type { SubscriptionView } from "./schema.ts";

export const NOTIFICATIONS_SCRIPT: Script = defineScript("notifications.client.js", {
  "notifications.client.js": notificationsScript,
}, { en, de });

export interface NotificationsPageData {
  readonly account: AccountView;
  /** The `applicationServerKey`; undefined if there are no push messages. */
  readonly publicKey: string | undefined;
  /** Oldest first. */
  readonly subscriptions: readonly SubscriptionView[];
}

function subscriptionRow(
  { id, device, createdAt, current }: SubscriptionView,
  language: Language,
): Html {
  const messages = messagesIn(language, { en, de }).notifications;
  return html`
    <li class="row">
      <div class="row-main">
        <h3 class="row-title">${shown(device)}
          ${current && html`<span class="badge current">${messages.current}</span>`}</h3>
        <p class="facts-line"><span>${messages.since} ${time(createdAt, language)}</span></p>
      </div>
      <p class="row-actions">
        <button id="stop-${id}" class="button small" type="button" data-stop="${id}"
          data-device="${device}"
          ${current && html`
            data-current="true"
          `} disabled>${messages.stop}<span
          class="visually-hidden">${messages.inBrowser(device)}</span></button>
      </p>
    </li>
  `;
}

function browsersSection({ account, publicKey, subscriptions }: NotificationsPageData): Html {
  const { language } = account;
  const messages = messagesIn(language, { en, de }).notifications;
  const isOn = subscriptions.some(({ current }) => current);
  return html`
    ${alertRegion("browsers-alert")} ${statusRegion("browsers-status")}
    <div id="browsers" class="stack">
      ${subscriptions.length === 0
        ? html`<p class="empty">${messages.none}</p>`
        : html`<ul class="rows">${subscriptions.map((one) => subscriptionRow(one, language))}</ul>`}
      ${!isOn && html`
        <p class="actions"><button id="notify" class="button primary" type="button"
          data-key="${publicKey ?? ""}" disabled>${messages.notify}</button></p>
      `}
    </div>
  `;
}

/** Renders the browsers that are notified. Without a script, the user can only read them. */
export function notificationsPage(data: NotificationsPageData): Html {
  const { account, publicKey } = data;
  const messages = messagesIn(account.language, { en, de }).notifications;
  const { notifications: title } = messagesIn(account.language, { en: kitEn, de: kitDe }).accountPages;
  return layout({
    title,
    account,
    place: "account",
    script: NOTIFICATIONS_SCRIPT,
    content: html`
      <div class="stack-sections">
        <div class="stack">
          <h1>${title}</h1>
          <p><a href="/account">${messages.back}</a></p>
          <p>${messages.lead}</p>
          <p class="hint">${messages.content}</p>
          <noscript><p class="notice">${messages.needsScript}</p></noscript>
        </div>
        <section class="stack" aria-labelledby="browsers-title">
          <h2 id="browsers-title">${messages.browsers}</h2>
          ${publicKey === undefined ? html`<p class="notice">${messages.off}</p>` : browsersSection(data)}
        </section>
      </div>
    `,
  });
}
