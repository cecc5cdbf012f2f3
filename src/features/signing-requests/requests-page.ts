import type { SigningRequestView } from "../../api/signing-request.ts";
import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { type AccountView, layout } from "../../ui/layout.ts";
import { shown, time } from "../../ui/parts.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

export interface RequestsPageData {
  readonly account: AccountView;
  /** The pending requests, oldest first. */
  readonly requests: readonly SigningRequestView[];
  readonly labels: ReadonlyMap<string, string>;
}

function requestItem(
  request: SigningRequestView,
  labels: RequestsPageData["labels"],
  language: Language,
): Html {
  const messages = messagesIn(language, { en, de }).requests;
  const { id, kind, keyId, asker, network, createdAt, expiresAt } = request;
  return html`
    <li class="row">
      <div class="row-main">
        <h2 class="row-title"><a href="/requests/${id}">${messages.kinds[kind]}</a></h2>
        <p class="facts-line">
          <span>${requesterText(asker, language)}</span>
          <span>${messages.with} ${shown(labels.get(keyId) ?? keyId)}</span>
          <span>${messages.from} ${network}</span>
          <span>${messages.requestedAt} ${time(createdAt, language)}</span>
          <span>${messages.ends} ${time(expiresAt, language)}</span>
        </p>
      </div>
    </li>
  `;
}

export function requestsPage({ account, requests, labels }: RequestsPageData): Html {
  const { language } = account;
  const messages = messagesIn(language, { en, de }).requests;
  return layout({
    title: messages.title,
    place: "requests",
    account,
    content: html`
      <div class="stack-sections">
        <div class="stack">
          <h1>${messages.title}</h1>
          <p class="hint">${messages.hint((activity) => html`<a href="/account/audit">${activity}</a>`)}</p>
        </div>
        ${requests.length === 0
          ? html`<p class="empty">${messages.none}</p>`
          : html`<ul class="rows">${requests.map((request) => requestItem(request, labels, language))}</ul>`}
      </div>
    `,
  });
}

/** Returns the sentence that names the requester of a signature, with its site if one is given. */
export function requesterText(
  { kind, name }: SigningRequestView["asker"],
  language: Language,
  site: string | null = null,
): Html {
  const { requesters } = messagesIn(language, { en, de }).requests;
  if (kind === "owner") return requesters.owner;
  return requesters[kind](
    site === null ? shown(name ?? "") : html`${shown(name ?? "")} (<code>${site}</code>)`,
  );
}
