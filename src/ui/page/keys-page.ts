import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { identicon } from "../identicon.ts";
import { layout } from "../layout.ts";
import { alertRegion, needsScript, shortAddress, shown, statusRegion, time } from "../parts.ts";
import { firstSteps } from "../section/first-steps.ts";
import type { FirstSteps } from "../section/first-steps.ts";
import type { AccountView, ListedKeyView } from "../view.ts";

/** What a person looks for among their keys. */
export interface KeySearchView {
  readonly words: string;
  /** Whether archived keys are listed too. */
  readonly archived: "include" | "exclude";
  readonly order: "newest" | "name" | "used";
  /** From 1. */
  readonly page: number;
  readonly pages: number;
  /** How many keys were found, on all pages. */
  readonly found: number;
}

/** What the list of keys shows. */
export interface KeysPageData {
  readonly account: AccountView;
  /** Those of this page, in their order. */
  readonly keys: readonly ListedKeyView[];
  readonly search: KeySearchView;
  /** How many keys the account has, archived ones too. */
  readonly owned: number;
  readonly steps: FirstSteps;
  /** Where to take the first steps. */
  readonly firstKeyId: string | undefined;
}

const ORDERS = [["newest", "Newest first"], ["name", "By name"], ["used", "Last used first"]] as const;

/** From how many keys on there is something to search. */
const WORTH_SEARCHING = 6;

/** The list's path with another page, or with another choice. */
function listPath(
  { words, archived, order }: KeySearchView,
  change: Readonly<Record<string, string>>,
): string {
  const query = new URLSearchParams({
    ...(words !== "" && { q: words }),
    ...(order !== "newest" && { order }),
    ...(archived === "include" && { archived: "true" }),
    ...change,
  });
  return query.size === 0 ? "/keys" : `/keys?${query}`;
}

function keyItem(key: ListedKeyView): Html {
  const { id, label, address, archived, createdAt, lastUsedAt } = key;
  return html`
    <li class="key-item">
      ${identicon(address, 36)}
      <a class="key-row" href="/keys/${id}"><span class="key-row-label">${shown(label)}
        ${archived && html`<span class="badge">Archived</span>`}</span></a>
      <span class="key-row-address mono" title="${address}"><code id="address-${id}"
        class="where-wide">${address}</code><span class="where-narrow" aria-hidden="true">${shortAddress(
          address,
        )}</span></span>
      <span class="key-row-facts">${lastUsedAt === null
        ? html`Made ${time(createdAt)}`
        : html`Last used ${time(lastUsedAt)}`}</span>
      <button class="button small" type="button" data-copy="address-${id}"
        disabled>Copy<span class="visually-hidden"> the address of ${label}</span></button>
    </li>
  `;
}

function createForm(): Html {
  return html`
    <details class="new-key">
      <summary class="button primary">New key</summary>
      <form id="create-form" class="card create-key">
        <fieldset disabled>
          <div class="field">
            <label for="label">Label <span class="optional">(optional)</span></label>
            <input id="label" name="label" type="text" maxlength="100" autocomplete="off" placeholder="Treasury">
          </div>
          <button class="button primary" type="submit">Create key</button>
        </fieldset>
        ${needsScript()} ${alertRegion("alert")} ${statusRegion("status")}
      </form>
    </details>
  `;
}

/** Works without a script: a question to this page. */
function searchForm(search: KeySearchView): Html {
  return html`
    <form class="key-search" method="get" action="/keys" role="search">
      <div class="field">
        <label for="q">Label or address</label>
        <input id="q" name="q" type="search" value="${search.words}" maxlength="100" autocomplete="off"
          spellcheck="false">
      </div>
      <div class="field">
        <label for="order">Order</label>
        <select id="order" name="order">
          ${ORDERS.map(([value, words]) =>
            html`<option value="${value}" ${value === search.order && html`selected`}>${words}</option>`
          )}
        </select>
      </div>
      ${search.archived === "include" && html`<input type="hidden" name="archived" value="true">`}
      <button class="button" type="submit">Show</button>
    </form>
  `;
}

/** Why there is nothing to see, and what to do about it. */
function emptyList({ search, owned }: KeysPageData): Html {
  if (search.words !== "") {
    return html`
      <p class="empty">No key has “${shown(search.words)}” in its label or address.
        <a href="${listPath({ ...search, words: "" }, {})}">Show all keys</a></p>
    `;
  }
  return owned === 0
    ? html`<p class="empty">You have no keys yet. Make one with “New key”.</p>`
    : html`<p class="empty">All keys are archived. <a href="/keys?archived=true">Show them</a></p>`;
}

function pageLinks({ search }: KeysPageData): Html | false {
  const { page, pages, found } = search;
  return pages > 1 && html`
    <nav class="actions pager" aria-label="Pages">
      ${page > 1 &&
        html`<a class="button" rel="prev" href="${listPath(search, { page: `${page - 1}` })}">Before</a>`}
      <span>Page ${page} of ${pages}, ${found} keys</span>
      ${page < pages &&
        html`<a class="button" rel="next" href="${listPath(search, { page: `${page + 1}` })}">Next</a>`}
    </nav>
  `;
}

/** The account's keys, what to look for among them, and the form that makes one more. */
export function keysPage(data: KeysPageData): Html {
  const { account, keys, search, owned } = data;
  const isSearched = search.words !== "" || search.order !== "newest";
  const isArchived = search.archived === "include";
  return layout({
    title: "Keys",
    account,
    place: "keys",
    script: "keys.client.js",
    content: html`
      <div class="keys-head">
        <h1>Keys</h1>
        ${createForm()}
      </div>
      ${firstSteps(data.steps, data.firstKeyId)}
      ${(owned >= WORTH_SEARCHING || isSearched) && searchForm(search)}
      ${keys.length === 0 ? emptyList(data) : html`<ul class="key-list">${keys.map(keyItem)}</ul>`}
      ${pageLinks(data)}
      ${owned > 0 && html`
        <p class="fine key-archived"><a href="${listPath(
          { ...search, archived: "exclude" },
          isArchived ? {} : { archived: "true" },
        )}">${isArchived ? "Hide" : "Show"} archived keys</a></p>
      `}
    `,
  });
}
