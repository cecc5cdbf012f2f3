import { type Html, html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { defineScript, type Script } from "../../ui/assets.ts";
import { type AccountView, type FrameView, layout } from "../../ui/layout.ts";
import { de as kitDe } from "../../ui/messages.de.ts";
import { en as kitEn } from "../../ui/messages.en.ts";
import { alertRegion, shown, statusRegion, time } from "../../ui/parts.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";
import type { IdentityView } from "./schema.ts";
import * as exportScript from "./settings.client.js" with { type: "text" };

export const SETTINGS_SCRIPT: Script = defineScript("settings.client.js", {
  "settings.client.js": exportScript,
}, { en, de });

export interface SettingsPageData {
  readonly account: AccountView;
  readonly name: string | null;
  readonly email: string | null;
  /** `none` if no codes can be sent. */
  readonly mail: "sent" | "none";
  readonly identities: readonly IdentityView[];
  readonly providers: readonly { readonly id: string; readonly name: string }[];
  /** The outcome of a link, if the browser was redirected from one. */
  readonly linked?: { readonly provider: string; readonly outcome: "linked" | "already" | "taken" };
  readonly isAdministrator: boolean;
  readonly keys: number;
  /** The name that the user types to confirm the deletion. */
  readonly called: string;
}

type SettingsMessages = typeof en.settings;

function section(id: string, title: string, hint: string, content: Html): Html {
  return html`
    <section class="stack" aria-labelledby="${id}">
      <div class="section-head">
        <h2 id="${id}">${title}</h2>
        <p class="hint">${hint}</p>
      </div>
      ${content}
    </section>
  `;
}

function nameForm({ name }: SettingsPageData, messages: SettingsMessages): Html {
  return html`
    <form id="name-form" class="card stack">
      <fieldset disabled class="stack">
        <div class="field">
          <label for="account-name">${messages.name}</label>
          <input id="account-name" name="name" type="text" maxlength="100" autocomplete="name" value="${name ??
            ""}">
        </div>
        <p class="actions"><button class="button" type="submit">${messages.save}</button></p>
      </fieldset>
      ${alertRegion("name-alert")} ${statusRegion("name-status")}
    </form>
  `;
}

function emailForms({ email, mail }: SettingsPageData, messages: SettingsMessages): Html {
  const now = email === null ? html`${messages.emailNone}` : shown(messages.emailNow(email));
  if (mail === "none") {
    return html`
      <div class="card stack">
        <p>${now}</p>
        <p class="notice">${messages.emailNoMail}</p>
      </div>
    `;
  }
  return html`
    <div class="card stack">
      <p id="email-now">${now}</p>
      <form id="email-form" class="stack">
        <fieldset disabled class="stack">
          <div class="field">
            <label for="new-email">${messages.newEmail}</label>
            <input id="new-email" name="email" type="email" maxlength="254" autocomplete="email" required>
          </div>
          <p class="actions"><button class="button" type="submit">${messages.sendCode}</button></p>
        </fieldset>
      </form>
      <form id="code-form" class="stack" hidden>
        <div class="field">
          <label for="code">${messages.code}</label>
          <input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code"
            maxlength="12" aria-describedby="code-hint" required>
          <p id="code-hint" class="hint">${messages.codeHint}</p>
        </div>
        <p class="actions">
          <button class="button primary" type="submit" disabled>${messages.changeEmail}</button>
          <button id="other-address" class="button" type="button" disabled>${messages.otherAddress}</button>
        </p>
      </form>
      ${alertRegion("email-alert")} ${statusRegion("email-status")}
    </div>
  `;
}

function identityRow(one: IdentityView, messages: SettingsMessages, { language }: AccountView): Html {
  const { id, issuer, provider, createdAt } = one;
  const name = provider ?? issuer;
  return html`
    <li class="row">
      <div class="row-main">
        <h3 class="row-title">${shown(name)}</h3>
        <p class="facts-line">
          <span>${provider === null ? messages.unlinked : shown(issuer)}</span>
          <span>${messages.since} ${time(createdAt, language)}</span>
        </p>
      </div>
      <p class="row-actions">
        <button class="button small" type="button" data-unlink="${id}" data-provider="${name}"
          disabled>${messages.unlink}<span class="visually-hidden">${messages.unlinkWhat(
            name,
          )}</span></button>
      </p>
    </li>
  `;
}

function identitySection(data: SettingsPageData, messages: SettingsMessages): Html {
  const { identities, providers, linked, account } = data;
  const linkedNotice = linked && html`
    <p class="notice${linked.outcome === "taken" && " danger"}" role="status">${messages.linkOutcomes
      [linked.outcome](linked.provider)}</p>
  `;
  return section(
    "identities",
    messages.identities,
    messages.identitiesHint,
    html`
      ${linkedNotice}
      ${alertRegion("identities-alert")} ${statusRegion("identities-status")}
      <div id="identity-list" class="stack">
        ${identities.length === 0
          ? html`<p class="empty">${messages.noIdentities}</p>`
          : html`<ul class="rows">${identities.map((one) => identityRow(one, messages, account))}</ul>`}
      </div>
      <p class="actions">
        ${providers.map(({ id, name }) =>
          html`<button class="button" type="button" data-link="${id}" disabled>${
            messages.link(name)
          }</button>`
        )}
      </p>
    `,
  );
}

function exportCard(messages: SettingsMessages): Html {
  return html`
    <div class="card stack">
      <p class="actions"><button id="export" class="button" type="button" disabled>${messages
        .exportButton}</button></p>
      ${alertRegion("export-alert")} ${statusRegion("export-status")}
    </div>
  `;
}

function deletionCard({ keys, called }: SettingsPageData, messages: SettingsMessages): Html {
  return html`
    <div id="deletion-card" class="card stack">
      <form id="deletion-form" class="stack">
        ${keys > 0 && html`<p class="notice danger">${messages.deletionKeys(keys)}</p>`}
        <p>${messages.deletionUntil}</p>
        <p>${messages.deletionRestore}</p>
        <p>${messages.deletionLog}</p>
        <fieldset disabled class="stack">
          <div class="field">
            <label for="confirm">${shown(messages.confirm(called))}</label>
            <input id="confirm" name="confirm" type="text" autocomplete="off" autocapitalize="none"
              spellcheck="false" required>
          </div>
          <p class="actions"><button class="button danger" type="submit">${messages.deleteButton}</button></p>
        </fieldset>
        ${alertRegion("deletion-alert")} ${statusRegion("deletion-status")}
      </form>
      <div id="deletion-done" class="stack" role="status" tabindex="-1" hidden>
        <h3>${messages.deletedTitle}</h3>
        <p>${messages.deletedAt} <time id="deletion-due"></time>. ${messages.deletedKeep}</p>
        <p>${messages.deleted}</p>
        <p class="actions"><a class="button" href="/sign-in">${messages.signIn}</a></p>
      </div>
    </div>
  `;
}

/** Renders the settings. Without a script, the user can only read them. */
export function settingsPage(data: SettingsPageData): Html {
  const { account } = data;
  const messages = messagesIn(account.language, { en, de }).settings;
  const { accountPages, admin } = messagesIn(account.language, { en: kitEn, de: kitDe });
  return layout({
    title: accountPages.settings,
    account,
    place: "account",
    script: SETTINGS_SCRIPT,
    content: html`
      <div class="stack-sections">
        <div class="stack">
          <h1>${accountPages.settings}</h1>
          <p><a href="/account">${messages.back}</a></p>
          ${statusRegion("page-status")}
          <nav class="jumps" aria-label="${messages.onThisPage}">
            <a href="#name">${messages.name}</a>
            <a href="#email">${messages.email}</a>
            <a href="#identities">${messages.identities}</a>
            <a href="#data">${messages.export}</a>
            <a href="#deletion">${messages.deletion}</a>
            <a href="/account/recovery">${accountPages.recovery}</a>
            ${data.isAdministrator && html`<a href="/admin/applications">${admin.administration}</a>`}
          </nav>
          <noscript><p class="notice">${messages.needsScript}</p></noscript>
        </div>
        ${section("name", messages.name, messages.nameHint, nameForm(data, messages))}
        ${section("email", messages.email, messages.emailHint, emailForms(data, messages))}
        ${identitySection(data, messages)}
        ${section("data", messages.export, messages.exportHint, exportCard(messages))}
        ${section("deletion", messages.deletion, messages.deletionHint, deletionCard(data, messages))}
      </div>
    `,
  });
}

/** Renders the confirmation behind a replaced address's link. Shows neither the account nor its new address. */
export function revertEmailPage(frame: FrameView, token: string): Html {
  const messages = messagesIn(frame.language, { en, de }).revertEmail;
  return layout({
    title: messages.title,
    frame,
    width: "form",
    content: html`
      <div class="card">
        <h1>${messages.title}</h1>
        <p>${messages.asks}</p>
        <p>${messages.does}</p>
        <form method="post" action="/take-back" class="stack">
          <input type="hidden" name="token" value="${token}">
          <p class="actions"><button class="button danger" type="submit">${messages.button}</button></p>
        </form>
        <p class="fine">${messages.leave}</p>
      </div>
    `,
  });
}

export function emailRevertedPage(frame: FrameView): Html {
  const messages = messagesIn(frame.language, { en, de }).revertEmail;
  return layout({
    title: messages.doneTitle,
    frame,
    width: "form",
    content: html`
      <div class="card">
        <h1>${messages.doneTitle}</h1>
        <p>${messages.done}</p>
        <p class="actions"><a class="button primary" href="/sign-in?next=%2Faccount">${messages
          .signIn}</a></p>
      </div>
    `,
  });
}
