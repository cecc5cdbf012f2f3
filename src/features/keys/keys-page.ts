import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { shortAddress } from "../../ethereum/address.ts";
import { defineScript, type Script } from "../../ui/assets.ts";
import { type AccountView, layout } from "../../ui/layout.ts";
import { alertRegion, copyButton, needsScript, shown, statusRegion, time } from "../../ui/parts.ts";
import { identicon } from "./identicon.ts";
import * as keysApiScript from "./keys-api.client.js" with { type: "text" };
import * as keysScript from "./keys.client.js" with { type: "text" };
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";
import * as savedQuoteScript from "./saved-quote.client.js" with { type: "text" };
import type { ListedKeyView } from "./schema.ts";

export const KEYS_SCRIPT: Script = defineScript("keys.client.js", {
  "keys-api.client.js": keysApiScript,
  "keys.client.js": keysScript,
  "saved-quote.client.js": savedQuoteScript,
}, { en, de });

type KeysMessages = typeof en.keys;

export interface KeySearchView {
  readonly text: string;
  readonly archived: "include" | "exclude";
  readonly order: "newest" | "name" | "used";
  /** From 1. */
  readonly page: number;
  readonly pages: number;
  readonly found: number;
}

export interface KeysPageData {
  readonly account: AccountView;
  readonly keys: readonly ListedKeyView[];
  readonly search: KeySearchView;
  /** The number of keys of the account, archived ones included. */
  readonly owned: number;
  readonly steps: FirstSteps;
  /** The key on which to take the first steps. */
  readonly firstKeyId: string | undefined;
}

const ORDERS = ["newest", "name", "used"] as const;

/** The minimum number of keys for which the search form is shown. */
const WORTH_SEARCHING = 6;

function listPath(
  { text, archived, order }: KeySearchView,
  change: Readonly<Record<string, string>>,
): string {
  const query = new URLSearchParams({
    ...(text !== "" && { q: text }),
    ...(order !== "newest" && { order }),
    ...(archived === "include" && { archived: "true" }),
    ...change,
  });
  return query.size === 0 ? "/keys" : `/keys?${query}`;
}

function keyItem(key: ListedKeyView, language: Language): Html {
  const messages = messagesIn(language, { en, de }).keys;
  const { id, label, address, archived, createdAt, lastUsedAt } = key;
  return html`
    <li class="key-item">
      ${identicon(address, 36)}
      <a class="key-row" href="/keys/${id}"><span class="key-row-label">${shown(label)}
        ${archived && html`<span class="badge">${messages.archived}</span>`}</span></a>
      <span class="key-row-address mono" title="${address}"><code id="address-${id}"
        class="where-wide">${address}</code><span class="where-narrow" aria-hidden="true">${shortAddress(
          address,
        )}</span></span>
      <span class="key-row-facts">${lastUsedAt === null
        ? html`${messages.made} ${time(createdAt, language)}`
        : html`${messages.lastUsed} ${time(lastUsedAt, language)}`}</span>
      ${copyButton(`address-${id}`, messages.theAddressOf(label), language)}
    </li>
  `;
}

function createForm(language: Language): Html {
  const messages = messagesIn(language, { en, de }).keys;
  return html`
    <details class="new-key">
      <summary class="button primary">${messages.newKey}</summary>
      <form id="create-form" class="card create-key">
        <fieldset disabled>
          <div class="field">
            <label for="label">${messages.label}</label>
            <input id="label" name="label" type="text" maxlength="100" autocomplete="off" placeholder="${messages
              .exampleLabel}">
          </div>
          <button class="button primary" type="submit">${messages.create}</button>
        </fieldset>
        ${needsScript(language)} ${alertRegion("alert")} ${statusRegion("status")}
      </form>
    </details>
  `;
}

function searchForm(search: KeySearchView, messages: KeysMessages): Html {
  return html`
    <form class="key-search" method="get" action="/keys" role="search">
      <div class="field">
        <label for="q">${messages.search}</label>
        <input id="q" name="q" type="search" value="${search.text}" maxlength="100" autocomplete="off"
          spellcheck="false">
      </div>
      <div class="field">
        <label for="order">${messages.order}</label>
        <select id="order" name="order">
          ${ORDERS.map((value) =>
            html`<option value="${value}" ${value === search.order && html`selected`}>${
              messages.orders[value]
            }</option>`
          )}
        </select>
      </div>
      ${search.archived === "include" && html`<input type="hidden" name="archived" value="true">`}
      <button class="button" type="submit">${messages.show}</button>
    </form>
  `;
}

function emptyList({ search, owned }: KeysPageData, messages: KeysMessages): Html {
  if (search.text !== "") {
    return html`
      <p class="empty">${messages.notFound(shown(search.text))}
        <a href="${listPath({ ...search, text: "" }, {})}">${messages.showAll}</a></p>
    `;
  }
  return owned === 0
    ? html`<p class="empty">${messages.none}</p>`
    : html`<p class="empty">${messages.allArchived} <a href="/keys?archived=true">${messages.showThem}</a></p>`;
}

function pageLinks({ search }: KeysPageData, messages: KeysMessages): Html | false {
  const { page, pages, found } = search;
  return pages > 1 && html`
    <nav class="actions pager" aria-label="${messages.pages}">
      ${page > 1 &&
        html`<a class="button" rel="prev" href="${
          listPath(search, { page: `${page - 1}` })
        }">${messages.before}</a>`}
      <span>${messages.page(page, pages, found)}</span>
      ${page < pages &&
        html`<a class="button" rel="next" href="${
          listPath(search, { page: `${page + 1}` })
        }">${messages.next}</a>`}
    </nav>
  `;
}

export function keysPage(data: KeysPageData): Html {
  const { account, keys, search, owned } = data;
  const { language } = account;
  const messages = messagesIn(language, { en, de }).keys;
  const isSearched = search.text !== "" || search.order !== "newest";
  const isArchived = search.archived === "include";
  return layout({
    title: messages.title,
    account,
    place: "keys",
    script: KEYS_SCRIPT,
    content: html`
      <div class="keys-head">
        <h1>${messages.title}</h1>
        ${createForm(language)}
      </div>
      ${firstSteps(data.steps, data.firstKeyId, messages.steps)}
      ${(owned >= WORTH_SEARCHING || isSearched) && searchForm(search, messages)}
      ${keys.length === 0 ? emptyList(data, messages) : html`
        <ul class="key-list">${keys.map((key) => keyItem(key, language))}</ul>
      `}
      ${pageLinks(data, messages)}
      ${owned > 0 && html`
        <p class="fine key-archived"><a href="${listPath(
          { ...search, archived: "exclude" },
          isArchived ? {} : { archived: "true" },
        )}">${isArchived ? messages.hideArchived : messages.showArchived}</a></p>
      `}
    `,
  });
}

/** The first steps already taken. The saved quote is missing, because only the browser knows of it. */
export interface FirstSteps {
  readonly hasSecondPasskey: boolean;
  readonly hasSigned: boolean;
  readonly hasToken: boolean;
}

type StepMessages = typeof en.keys.steps;

/** A step: the text of its link, and the rest of the sentence. */
type StepText = StepMessages["passkey"];

function step(
  isDone: boolean,
  { text: [link = "", rest = ""], path, done, id }: {
    readonly text: StepText;
    readonly path: string;
    readonly done: string;
    readonly id?: string;
  },
): Html {
  return html`
    <li ${id !== undefined && html`id="${id}"`} class="${isDone
      ? "step done"
      : "step"}"><a href="${path}">${link}</a>${rest}
      <span class="step-done visually-hidden">${isDone && done}</span></li>
  `;
}

/** Renders the first steps. Returns undefined once all steps known to the service are done. */
function firstSteps(
  { hasSecondPasskey, hasSigned, hasToken }: FirstSteps,
  keyId: string | undefined,
  { title, done, ...messages }: StepMessages,
): Html | undefined {
  if (hasSecondPasskey && hasSigned && hasToken) return undefined;
  const key = keyId === undefined ? "/keys" : `/keys/${keyId}`;
  return html`
    <section class="card first-steps" aria-labelledby="first-steps">
      <h2 id="first-steps">${title}</h2>
      <ol>
        ${step(hasSecondPasskey, { text: messages.passkey, path: "/account#passkeys", done })}
        ${step(hasSigned, { text: messages.sign, path: `${key}#sign`, done })}
        ${step(false, { text: messages.quote, path: `${key}#attestation`, done, id: "step-quote" })}
        ${step(hasToken, { text: messages.token, path: "/developer", done })}
      </ol>
    </section>
  `;
}
