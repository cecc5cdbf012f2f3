import { TOKEN_ACTIONS } from "../../accounts/token/api-token.ts";
import { type Html, html } from "../../lib/html.ts";
import { defineScript, type Script } from "../../ui/assets.ts";
import * as developerScript from "./tokens.client.js" with { type: "text" };
import { shortAddress } from "../../ui/amounts.ts";
import { POLICY_TEMPLATES } from "../../policy/templates.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { type AccountView, layout } from "../../ui/layout.ts";
import { alertRegion, copyButton, shown, statusRegion, time } from "../../ui/parts.ts";
import type { KeyView } from "../../api/key.ts";
import type { TokenView } from "../../api/token.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

export const DEVELOPER_SCRIPT: Script = defineScript("tokens.client.js", {
  "tokens.client.js": developerScript,
}, { en, de });

type DeveloperWords = typeof en.developer;

export interface DeveloperPageData {
  readonly account: AccountView;
  /** The tokens, oldest first, including those that expired lately. */
  readonly tokens: readonly TokenView[];
  readonly keys: readonly KeyView[];
  /** ISO 8601. */
  readonly now: string;
  readonly baseUrl: string;
}

const LIFETIMES = [7, 30, 90, 365] as const;

function deedsOf(
  { actions, keys }: TokenView,
  labels: ReadonlyMap<string, string>,
  words: DeveloperWords,
): Html {
  const deeds = actions.map((action) => words.deeds[action]).join(", ");
  if (keys === "all") return html`<span>${words.may(deeds, words.allYourKeys)}</span>`;
  const names = keys.map((id) => shown(labels.get(id) ?? id));
  return html`<span>${
    words.may(deeds, names.flatMap((name, index) => index === 0 ? [name] : [", ", name]))
  }</span>`;
}

/** Renders what a token may sign. Returns undefined if it may not sign. */
function signsOf({ actions, policyWords }: TokenView, words: DeveloperWords): Html | undefined {
  if (!actions.includes("sign")) return undefined;
  if (policyWords === null) return html`<p class="hint">${words.signsAnything}</p>`;
  return html`
    <details>
      <summary>${words.whatItMaySign}</summary>
      <ul class="policy-words">${policyWords.map((sentence) => html`<li>${shown(sentence)}</li>`)}</ul>
    </details>
  `;
}

function tokenRow(
  token: TokenView,
  { labels, now, language }: {
    readonly labels: ReadonlyMap<string, string>;
    readonly now: string;
    readonly language: Language;
  },
): Html {
  const words = messagesIn(language, { en, de }).developer;
  const { id, name, networks, createdAt, expiresAt, lastUsedAt, lastUsedNetwork } = token;
  const hasEnded = expiresAt <= now;
  return html`
    <li class="row">
      <div class="row-main">
        <h3 class="row-title">${shown(name)} ${hasEnded &&
          html`<span class="badge">${words.ended}</span>`}</h3>
        <p id="facts-${id}" class="facts-line">
          ${deedsOf(token, labels, words)}
          ${networks !== null && html`<span>${words.fromOnly(networks.join(", "))}</span>`}
          <span>${words.made} ${time(createdAt, language)}</span>
          <span>${hasEnded ? words.ended : words.ends} ${time(expiresAt, language)}</span>
          ${lastUsedAt === null
            ? html`<span>${words.neverUsed}</span>`
            : html`<span>${words.lastUsed(time(lastUsedAt, language), lastUsedNetwork)}</span>`}
        </p>
        ${signsOf(token, words)}
      </div>
      <p class="row-actions">
        <button id="revoke-${id}" class="button small" type="button" data-act="revoke"
          data-token-id="${id}"
          data-name="${name}" aria-haspopup="dialog" aria-describedby="facts-${id}"
          disabled>${words.revoke}<span class="visually-hidden"> ${name}</span></button>
      </p>
    </li>
  `;
}

function choice(name: string, value: string, words: Html, isChosen: boolean): Html {
  return html`<label class="choice"><input type="checkbox" name="${name}" value="${value}"
    ${isChosen && html`checked`}> <span>${words}</span></label>`;
}

function policyFields(words: DeveloperWords["form"]): Html {
  return html`
    <div class="field">
      <label for="token-template">${words.maySign}</label>
      <select id="token-template" autocomplete="off">
        <option value="">${words.anything}</option>
        ${POLICY_TEMPLATES.map(({ id, name, policy }) =>
          html`<option value="${JSON.stringify(policy, null, 2)}">${words.templates[id] ?? name}</option>`
        )}
      </select>
    </div>
    <div class="field">
      <label for="token-policy">${words.policy}</label>
      <textarea id="token-policy" name="policy" class="mono" rows="3" spellcheck="false" autocomplete="off"
        aria-describedby="token-policy-hint"></textarea>
      <p id="token-policy-hint" class="hint">${words.policyHint}</p>
    </div>
  `;
}

function newTokenForm(keys: readonly KeyView[], now: string, words: DeveloperWords["form"]): Html {
  return html`
    <form id="token-form" class="card stack" data-now="${now}">
      <h2 id="new-token">${words.title}</h2>
      <fieldset disabled class="stack">
        <div class="field">
          <label for="token-name">${words.name}</label>
          <input id="token-name" name="name" type="text" maxlength="100" autocomplete="off" required
            placeholder="${words.exampleName}">
        </div>
        <fieldset class="choices">
          <legend>${words.may}</legend>
          ${TOKEN_ACTIONS.map((action) =>
            choice("actions", action, html`${words.actions[action]}`, action !== "create")
          )}
        </fieldset>
        <fieldset class="choices">
          <legend>${words.keys}</legend>
          ${keys.map(({ id, label, address }, index) =>
            choice(
              "keys",
              id,
              html`${shown(label)} <code>${shortAddress(address)}</code>`,
              index === 0,
            )
          )}
          ${choice("keys", "all", html`${words.allKeys}`, keys.length === 0)}
        </fieldset>
        <div class="field">
          <label for="token-days">${words.endsAfter}</label>
          <select id="token-days" name="days">
            ${LIFETIMES.map((days) =>
              html`<option value="${days}" ${days === 90 && html`selected`}>${words.days[days]}</option>`
            )}
          </select>
        </div>
        <div class="field">
          <label for="token-networks">${words.networks}</label>
          <input id="token-networks" name="networks" type="text" autocomplete="off" spellcheck="false"
            placeholder="192.0.2.0/24 2001:db8::/32">
        </div>
        ${policyFields(words)}
        <p class="actions"><button class="button primary" type="submit">${words.make}</button></p>
      </fieldset>
      ${alertRegion("token-alert")} ${statusRegion("token-status")}
    </form>
  `;
}

function madeCard(baseUrl: string, language: Language): Html {
  const words = messagesIn(language, { en, de }).developer;
  return html`
    <section id="token-made" class="card stack" aria-labelledby="made" hidden>
      <h2 id="made" tabindex="-1">${words.madeTitle}</h2>
      <p>${words.shownOnce}</p>
      <p class="copyable"><code id="token-text"></code> ${copyButton(
        "token-text",
        words.theToken,
        language,
      )}</p>
      <p>${words.toTry}</p>
      <p class="copyable"><code id="token-curl">curl -H "Authorization: Bearer $TOKEN" ${baseUrl}/api/keys</code>
        ${copyButton("token-curl", words.theCommand, language)}</p>
    </section>
  `;
}

function revokeDialog(words: DeveloperWords): Html {
  return html`
    <dialog id="revoke-dialog" aria-labelledby="revoke-title">
      <form id="revoke-form" class="stack">
        <h2 id="revoke-title">${words.revokeTitle(html`<bdi id="revoke-what">${words.token}</bdi>`)}</h2>
        <p>${words.revokeMeans}</p>
        ${alertRegion("revoke-alert")}
        <p class="actions">
          <button class="button danger" type="submit" disabled>${words.revoke}</button>
          <button class="button" type="button" data-act="close" autofocus disabled>${words.cancel}</button>
        </p>
      </form>
    </dialog>
  `;
}

/**
 * Renders the API tokens of an account. The list can be read without a script, which creates and revokes, and replaces
 * the children of `token-list` after each act.
 */
export function developerPage({ account, tokens, keys, now, baseUrl }: DeveloperPageData): Html {
  const { language } = account;
  const words = messagesIn(language, { en, de }).developer;
  const labels = new Map(keys.map(({ id, label }) => [id, label]));
  return layout({
    title: words.title,
    account,
    place: "developer",
    script: DEVELOPER_SCRIPT,
    content: html`
      <div class="stack-sections">
        <div class="stack">
          <h1>${words.title}</h1>
          <p class="hint">${words.hint}</p>
          <noscript><p class="notice">${words.needsScript}</p></noscript>
        </div>
        <section class="stack" aria-labelledby="tokens">
          <h2 id="tokens">${words.tokens}</h2>
          ${statusRegion("tokens-status")}
          <div id="token-list">
            ${tokens.length === 0
              ? html`<p class="empty">${words.none}</p>`
              : html`<ul class="rows">${
                tokens.map((token) => tokenRow(token, { labels, now, language }))
              }</ul>`}
          </div>
        </section>
        ${madeCard(baseUrl, language)}
        ${newTokenForm(keys, now, words.form)}
        ${revokeDialog(words)}
      </div>
    `,
  });
}
