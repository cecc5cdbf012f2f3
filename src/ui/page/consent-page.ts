import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { layout } from "../layout.ts";
import { keyRightsSection } from "../section/key-rights-section.ts";
import type { KeyRightsData } from "../section/key-rights-section.ts";
import type { AccountView } from "../view.ts";
import { shown } from "../parts.ts";
import { sharedLines } from "../section/applications-section.ts";
import type { SharedView } from "../section/applications-section.ts";
import { de } from "../words/authorization.de.ts";
import { en } from "../words/authorization.en.ts";

/** What a person is asked when an application wants to know who they are. */
export interface ConsentPageData {
  readonly account: AccountView;
  /** The pending authorization request. */
  readonly request: string;
  readonly client: { readonly name: string; readonly uri: string };
  /** Where the answer goes, as a person can judge it: a host, or an application's own scheme. */
  readonly redirectTarget: string;
  /** What the application gets to see. */
  readonly shared: SharedView;
  /** What it asks of the person's keys; undefined where it asks for nothing. */
  readonly keyRights: KeyRightsData | undefined;
}

/** Whether the answer goes to a program here instead of to a host that somebody answers for. */
function isOnDevice(redirectTarget: string): boolean {
  return !redirectTarget.startsWith("https:");
}

/** Names the application, where the answer goes, what is shared and the account; approve, deny, switch account. */
export function consentPage(data: ConsentPageData): Html {
  const { account, request, client, redirectTarget, shared, keyRights } = data;
  const words = messagesIn(account.language, { en, de }).consent;
  const link = html`<a href="${client.uri}" rel="noreferrer">${shown(client.uri)}</a>`;
  return layout({
    title: words.title(client.name),
    account,
    width: "form",
    content: html`
      <div class="card">
        <h1>${words.heading(shown(client.name))}</h1>
        <p>${words.asks(shown(client.name), link, keyRights !== undefined)}</p>
        <dl class="facts">
          <div class="fact-wide">
            <dt>${words.sees}</dt>
            <dd>
              <ul>${sharedLines(shared, account.language).map((line) => html`<li>${line}</li>`)}</ul>
            </dd>
          </div>
          <div class="fact-wide">
            <dt>${words.account}</dt>
            <dd>${shown(account.email)}</dd>
          </div>
          <div class="fact-wide">
            <dt>${words.target}</dt>
            <dd><code>${redirectTarget}</code>${isOnDevice(redirectTarget) && ` ${words.onThisDevice}`}</dd>
          </div>
        </dl>
        <p class="hint">${keyRights === undefined && `${words.noKeys} `}${words.takeBack}</p>
        <form method="post" action="/consent" class="stack">
          <input type="hidden" name="request" value="${request}">
          ${keyRights !== undefined && keyRightsSection(keyRights, account.language)}
          <p class="actions">
            <button class="button primary" type="submit" name="decision" value="approve">${words
              .allow}</button>
            <button class="button" type="submit" name="decision" value="deny">${words.deny}</button>
          </p>
        </form>
        <p class="fine"><a href="/sign-in?request=${request}&amp;account=other">${words.otherAccount}</a></p>
      </div>
    `,
  });
}
