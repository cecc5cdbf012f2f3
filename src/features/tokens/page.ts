import { TOKEN_ACTIONS } from "../../accounts/token/api-token.ts";
import { type Html, html } from "../../lib/html.ts";
import { defineScript, type Script } from "../../ui/assets.ts";
import * as developerScript from "./tokens.client.js" with { type: "text" };
import { shortAddress } from "../../ethereum/address.ts";
import { POLICY_TEMPLATES } from "../../policy/templates.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { type AccountView, layout } from "../../ui/layout.ts";
import { policyBuilder } from "../../ui/section/policy-builder.ts";
import { alertRegion, copyButton, shown, statusRegion, time } from "../../ui/parts.ts";
import { usedLimits } from "../../ui/section/used-limits.ts";
import type { UsedLimit } from "../../policy/usage.ts";
import type { KeyView } from "../../api/key.ts";
import type { TokenView } from "../../api/token.ts";
import { agentsSection } from "./agents-section.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

export const DEVELOPER_SCRIPT: Script = defineScript("tokens.client.js", {
  "tokens.client.js": developerScript,
}, { en, de });

type DeveloperMessages = typeof en.developer;

export interface DeveloperPageData {
  readonly account: AccountView;
  /** The tokens, oldest first, including those that expired lately. */
  readonly tokens: readonly TokenView[];
  /** The limits of each token with what is used up, by its id. */
  readonly used: ReadonlyMap<string, readonly UsedLimit[]>;
  readonly keys: readonly KeyView[];
  /** ISO 8601. */
  readonly now: string;
  readonly baseUrl: string;
  /** True after the signing of all programs was stopped. */
  readonly isStopped: boolean;
}

const LIFETIMES = [7, 30, 90, 365] as const;

function actionsText(
  { actions, keys }: TokenView,
  labels: ReadonlyMap<string, string>,
  messages: DeveloperMessages,
): Html {
  const permitted = actions.map((action) => messages.actions[action]).join(", ");
  if (keys === "all") return html`<span>${messages.may(permitted, messages.allYourKeys)}</span>`;
  const names = keys.map((id) => shown(labels.get(id) ?? id));
  return html`<span>${
    messages.may(permitted, names.flatMap((name, index) => index === 0 ? [name] : [", ", name]))
  }</span>`;
}

/** Renders what a token may sign. Returns undefined if it may not sign. */
function signsOf({ actions, policyWords }: TokenView, messages: DeveloperMessages): Html | undefined {
  if (!actions.includes("sign")) return undefined;
  if (policyWords === null) return html`<p class="hint">${messages.signsAnything}</p>`;
  return html`
    <details>
      <summary>${messages.whatItMaySign}</summary>
      <ul class="policy-rules">${policyWords.map((sentence) => html`<li>${shown(sentence)}</li>`)}</ul>
    </details>
  `;
}

function tokenRow(
  token: TokenView,
  { labels, used, now, language }: {
    readonly labels: ReadonlyMap<string, string>;
    readonly used: DeveloperPageData["used"];
    readonly now: string;
    readonly language: Language;
  },
): Html {
  const messages = messagesIn(language, { en, de }).developer;
  const { id, name, networks, createdAt, expiresAt, lastUsedAt, lastUsedNetwork } = token;
  const hasEnded = expiresAt <= now;
  return html`
    <li class="row">
      <div class="row-main">
        <h3 class="row-title">${shown(name)} ${hasEnded &&
          html`<span class="badge">${messages.ended}</span>`}</h3>
        <p id="facts-${id}" class="facts-line">
          ${actionsText(token, labels, messages)}
          ${networks !== null && html`<span>${messages.fromOnly(networks.join(", "))}</span>`}
          <span>${messages.made} ${time(createdAt, language)}</span>
          <span>${hasEnded ? messages.ended : messages.ends} ${time(expiresAt, language)}</span>
          ${lastUsedAt === null
            ? html`<span>${messages.neverUsed}</span>`
            : html`<span>${messages.lastUsed(time(lastUsedAt, language), lastUsedNetwork)}</span>`}
        </p>
        ${usedLimits(used.get(id) ?? [])}
        ${signsOf(token, messages)}
      </div>
      <p class="row-actions">
        <button id="revoke-${id}" class="button small" type="button" data-act="revoke"
          data-token-id="${id}"
          data-name="${name}" aria-haspopup="dialog" aria-describedby="facts-${id}"
          disabled>${messages.revoke}<span class="visually-hidden"> ${name}</span></button>
      </p>
    </li>
  `;
}

function choice(name: string, value: string, label: Html, isChosen: boolean): Html {
  return html`<label class="choice"><input type="checkbox" name="${name}" value="${value}"
    ${isChosen && html`checked`}> <span>${label}</span></label>`;
}

function policyFields(messages: DeveloperMessages["form"], language: Language): Html {
  return html`
    <div class="field">
      <label for="token-template">${messages.beginWith}</label>
      <select id="token-template" autocomplete="off">
        <option value="">${messages.noPolicy}</option>
        ${POLICY_TEMPLATES.map(({ id, name, policy }) =>
          html`<option value="${JSON.stringify(policy, null, 2)}">${messages.templates[id] ?? name}</option>`
        )}
      </select>
    </div>
    ${policyBuilder("token", language)}
    <div class="field">
      <label for="token-policy">${messages.policy}</label>
      <textarea id="token-policy" name="policy" class="mono" rows="3" spellcheck="false" autocomplete="off"
        aria-describedby="token-policy-hint"></textarea>
      <p id="token-policy-hint" class="hint">${messages.policyHint}</p>
    </div>
  `;
}

function newTokenForm({ keys, now, account: { language } }: DeveloperPageData): Html {
  const messages = messagesIn(language, { en, de }).developer.form;
  return html`
    <form id="token-form" class="card stack" data-now="${now}">
      <h2 id="new-token">${messages.title}</h2>
      <fieldset disabled class="stack">
        <div class="field">
          <label for="token-name">${messages.name}</label>
          <input id="token-name" name="name" type="text" maxlength="100" autocomplete="off" required
            placeholder="${messages.exampleName}">
        </div>
        <fieldset class="choices">
          <legend>${messages.may}</legend>
          ${TOKEN_ACTIONS.map((action) =>
            choice("actions", action, html`${messages.actions[action]}`, action !== "create")
          )}
        </fieldset>
        <fieldset class="choices">
          <legend>${messages.keys}</legend>
          ${keys.map(({ id, label, address }, index) =>
            choice(
              "keys",
              id,
              html`${shown(label)} <code>${shortAddress(address)}</code>`,
              index === 0,
            )
          )}
          ${choice("keys", "all", html`${messages.allKeys}`, keys.length === 0)}
        </fieldset>
        <div class="field">
          <label for="token-days">${messages.endsAfter}</label>
          <select id="token-days" name="days">
            ${LIFETIMES.map((days) =>
              html`<option value="${days}" ${days === 90 && html`selected`}>${messages.days[days]}</option>`
            )}
          </select>
        </div>
        <div class="field">
          <label for="token-networks">${messages.networks}</label>
          <input id="token-networks" name="networks" type="text" autocomplete="off" spellcheck="false"
            placeholder="192.0.2.0/24 2001:db8::/32">
        </div>
        ${policyFields(messages, language)}
        <p class="actions"><button class="button primary" type="submit">${messages.make}</button></p>
      </fieldset>
      ${alertRegion("token-alert")} ${statusRegion("token-status")}
    </form>
  `;
}

function newTokenCard(baseUrl: string, language: Language): Html {
  const messages = messagesIn(language, { en, de }).developer;
  return html`
    <section id="token-made" class="card stack" aria-labelledby="made" hidden>
      <h2 id="made" tabindex="-1">${messages.madeTitle}</h2>
      <p>${messages.shownOnce}</p>
      <p class="copyable"><code id="token-text"></code> ${copyButton(
        "token-text",
        messages.theToken,
        language,
      )}</p>
      <p>${messages.toTry}</p>
      <p class="copyable"><code id="token-curl">curl -H "Authorization: Bearer $TOKEN" ${baseUrl}/api/keys</code>
        ${copyButton("token-curl", messages.theCommand, language)}</p>
    </section>
  `;
}

function revokeDialog(messages: DeveloperMessages): Html {
  return html`
    <dialog id="revoke-dialog" aria-labelledby="revoke-title">
      <form id="revoke-form" class="stack">
        <h2 id="revoke-title">${messages.revokeTitle(
          html`<bdi id="revoke-what">${messages.token}</bdi>`,
        )}</h2>
        <p>${messages.revokeMeans}</p>
        ${alertRegion("revoke-alert")}
        <p class="actions">
          <button class="button danger" type="submit" disabled>${messages.revoke}</button>
          <button class="button" type="button" data-act="close" autofocus disabled>${messages.cancel}</button>
        </p>
      </form>
    </dialog>
  `;
}

function stopSection({ account, isStopped }: DeveloperPageData, messages: DeveloperMessages["stop"]): Html {
  return html`
    <section class="card stack" aria-labelledby="stop">
      <h2 id="stop">${messages.title}</h2>
      ${isStopped && html`<p class="notice" role="status">${messages.done}</p>`}
      <p>${messages.means}</p>
      <form method="post" action="/developer/stop">
        <input type="hidden" name="account" value="${account.accountId}">
        <p class="actions"><button class="button danger" type="submit">${messages.title}</button></p>
      </form>
    </section>
  `;
}

/**
 * Renders the API tokens of an account. The list can be read without a script, which creates and revokes, and replaces
 * the children of `token-list` after each act.
 */
export function developerPage(data: DeveloperPageData): Html {
  const { account, tokens, used, keys, now, baseUrl } = data;
  const { language } = account;
  const messages = messagesIn(language, { en, de }).developer;
  const labels = new Map(keys.map(({ id, label }) => [id, label]));
  return layout({
    title: messages.title,
    account,
    place: "developer",
    script: DEVELOPER_SCRIPT,
    content: html`
      <div class="stack-sections">
        <div class="stack">
          <h1>${messages.title}</h1>
          <p class="hint">${messages.hint}</p>
          <p><a href="/developer/webhooks">${messages.webhooks}</a></p>
          <noscript><p class="notice">${messages.needsScript}</p></noscript>
        </div>
        <section class="stack" aria-labelledby="tokens">
          <h2 id="tokens">${messages.tokens}</h2>
          ${statusRegion("tokens-status")}
          <div id="token-list">
            ${tokens.length === 0
              ? html`<p class="empty">${messages.none}</p>`
              : html`<ul class="rows">${
                tokens.map((token) => tokenRow(token, { labels, used, now, language }))
              }</ul>`}
          </div>
        </section>
        ${stopSection(data, messages.stop)}
        ${newTokenCard(baseUrl, language)}
        ${newTokenForm(data)}
        ${agentsSection(baseUrl, language)}
        ${revokeDialog(messages)}
      </div>
    `,
  });
}
