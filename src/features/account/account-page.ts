import type { Account } from "../../api/account.ts";
import type { Of } from "../../api/value.ts";
import { type Html, html } from "../../lib/html.ts";
import { type Language, LANGUAGES, messagesIn } from "../../lib/language.ts";
import { defineScript, type Script } from "../../ui/assets.ts";
import * as accountScript from "./account.client.js" with { type: "text" };
import * as accountApiScript from "./account-api.client.js" with { type: "text" };
import * as accountPasskeysScript from "./passkeys.client.js" with { type: "text" };
import { type ApplicationsData, applicationsSection } from "./applications-section.ts";
import { activityList, type ActivityView } from "../../ui/section/activity-list.ts";
import { type AccountView, layout } from "../../ui/layout.ts";
import { copyButton, shown, time } from "../../ui/parts.ts";
import { type Notifications, passkeysSection } from "./passkeys-section.ts";
import { type SessionsData, sessionsSection } from "./sessions-section.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";
import { de as kitDe } from "../../ui/messages.de.ts";
import { en as kitEn } from "../../ui/messages.en.ts";

export const ACCOUNT_SCRIPT: Script = defineScript("account.client.js", {
  "account.client.js": accountScript,
  "account-api.client.js": accountApiScript,
  "passkeys.client.js": accountPasskeysScript,
}, { en, de });

export interface AccountPageData extends SessionsData, ApplicationsData {
  readonly account: AccountView;
  readonly person: Of<typeof Account>;
  readonly notifications: Notifications;
  /** True if browsers can be notified. */
  readonly hasNotifications?: boolean;
  readonly activity: ActivityView & {
    /** The number of newest entries left out because they fail verification. */
    readonly unverified: number;
  };
}

function languageForm(accountId: string, language: Language): Html {
  const others = LANGUAGES.filter((other) => other !== language);
  return html`
    <form method="post" action="/account/language" class="language-form">
      <input type="hidden" name="account" value="${accountId}">
      <span>${messagesIn(language, { en, de }).account.languageIs}</span>
      ${others.map((other) =>
        html`
          <button class="button small" type="submit" name="language" value="${other}"
            lang="${other}">${messagesIn(other, { en, de }).account.languageIs}</button>
        `
      )}
    </form>
  `;
}

function personCard({ id, email, name, createdAt }: Of<typeof Account>, language: Language): Html {
  const messages = messagesIn(language, { en, de }).account;
  return html`
    <section class="card person" aria-label="${messages.you}">
      <dl class="facts">
        ${name !== null && html`
          <div>
            <dt>${messages.name}</dt>
            <dd>${shown(name)}</dd>
          </div>
        `}
        <div class="fact-wide">
          <dt>${messages.emailAddress}</dt>
          <dd>${email === null ? messages.none : shown(email)}</dd>
        </div>
        <div><dt>${messages.since}</dt><dd>${time(createdAt, language)}</dd></div>
        <div class="fact-wide">
          <dt>${messages.id}</dt>
          <dd class="copyable"><code id="account-id">${id}</code> ${copyButton(
            "account-id",
            messages.theId,
            language,
          )}</dd>
        </div>
        <div>
          <dt>${messages.language}</dt>
          <dd>${languageForm(id, language)}</dd>
        </div>
      </dl>
    </section>
  `;
}

function activitySection(
  { unverified, ...activity }: AccountPageData["activity"],
  language: Language,
): Html {
  const messages = messagesIn(language, { en, de }).account.activity;
  return html`
    <section class="stack" aria-labelledby="activity">
      <div class="section-head">
        <h2 id="activity">${messages.title}</h2>
        <p class="hint">${messages.latest} <a href="/account/audit">${messages.all}</a></p>
      </div>
      <div id="activity-list" class="stack">
        ${unverified > 0 && html`
          <p class="notice danger">${messages.unverified}</p>
        `}
        ${activity.events.length === 0
          ? html`<p class="empty">${messages.none}</p>`
          : activityList(activity, language)}
      </div>
    </section>
  `;
}

function contents({ account: { language }, hasNotifications }: AccountPageData): Html {
  const messages = messagesIn(language, { en, de }).account;
  const pages = messagesIn(language, { en: kitEn, de: kitDe }).accountPages;
  return html`
    <nav class="jumps" aria-label="${messages.onThisPage}">
      <a href="#passkeys">${messages.passkeys.title}</a>
      <a href="#sessions">${messages.sessions.title}</a>
      <a href="#applications">${messages.applications.title}</a>
      <a href="#activity">${messages.activity.title}</a>
      ${hasNotifications === true && html`<a href="/account/notifications">${pages.notifications}</a>`}
      <a href="/account/recovery">${pages.recovery}</a>
      <a href="/account/settings">${pages.settings}</a>
    </nav>
  `;
}

/** Renders the account page. Without a script, the user can read all of it and withdraw applications. */
export function accountPage(data: AccountPageData): Html {
  const { account, person, passkeys, notifications, activity } = data;
  const { language } = account;
  const messages = messagesIn(language, { en, de }).account;
  return layout({
    title: messages.title,
    account,
    place: "account",
    script: ACCOUNT_SCRIPT,
    content: html`
      <div class="stack-sections">
        <div class="stack">
          <h1>${messages.title}</h1>
          ${contents(data)}
          <noscript><p class="notice">${messages.needsScript}</p></noscript>
          ${personCard(person, language)}
        </div>
        ${passkeysSection(passkeys, notifications, language)}
        ${sessionsSection(data, language)}
        ${applicationsSection(data, language)}
        ${activitySection(activity, language)}
      </div>
    `,
  });
}
