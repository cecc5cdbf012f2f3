import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { layout } from "../layout.ts";
import { shown, time } from "../parts.ts";
import { askerWords } from "../section/asker.ts";
import type { AccountView, SigningRequestView } from "../view.ts";

/** What the list of asked signatures shows. */
export interface RequestsPageData {
  readonly account: AccountView;
  /** Those that wait, oldest first. */
  readonly requests: readonly SigningRequestView[];
  /** The labels of the account's keys, by their ids. */
  readonly labels: ReadonlyMap<string, string>;
}

const KINDS: Readonly<Record<SigningRequestView["kind"], string>> = {
  personal_sign: "A message",
  raw: "Raw bytes",
  digest: "A digest",
  typed_data: "Typed data",
  transaction: "A transaction",
  authorization: "An authorization",
};

function requestItem(request: SigningRequestView, labels: RequestsPageData["labels"]): Html {
  const { id, kind, keyId, asker, network, createdAt, expiresAt } = request;
  return html`
    <li class="row">
      <div class="row-main">
        <h2 class="row-title"><a href="/requests/${id}">${KINDS[kind]}</a></h2>
        <p class="facts-line">
          <span>${askerWords(asker)}</span>
          <span>With ${shown(labels.get(keyId) ?? keyId)}</span>
          <span>From ${network}</span>
          <span>Asked ${time(createdAt)}</span>
          <span>Ends ${time(expiresAt)}</span>
        </p>
      </div>
    </li>
  `;
}

/** The signatures that wait for their owner. Needs no script. */
export function requestsPage({ account, requests, labels }: RequestsPageData): Html {
  return layout({
    title: "Requests",
    place: "requests",
    account,
    content: html`
      <div class="stack-sections">
        <div class="stack">
          <h1>Requests</h1>
          <p class="hint">Signatures that your rules have wait for you. Nothing is signed unless you approve it with a
            passkey. What was answered is in <a href="/account/audit">Activity</a>.</p>
        </div>
        ${requests.length === 0
          ? html`<p class="empty">Nothing waits for you.</p>`
          : html`<ul class="rows">${requests.map((request) => requestItem(request, labels))}</ul>`}
      </div>
    `,
  });
}
