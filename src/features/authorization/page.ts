import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { layout } from "../../ui/layout.ts";
import type { AccountView } from "../../ui/layout.ts";
import { shown } from "../../ui/parts.ts";
import { sharedLines } from "../../ui/section/shared-access.ts";
import type { SharedView } from "../../ui/section/shared-access.ts";
import { keyRightsSection } from "./key-rights-section.ts";
import type { KeyRightsData } from "./key-rights-section.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

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

/** What a person is asked when an application wants to sign them out here. */
export interface EndSessionPageData {
  readonly account: AccountView;
  /** The pending logout request. */
  readonly request: string;
  /** The application's name; undefined when it did not say which it is. */
  readonly clientName: string | undefined;
}

/** Asks before signing out: any page could have sent the browser here (OpenID Connect RP-Initiated Logout 1.0). */
export function endSessionPage({ account, request, clientName }: EndSessionPageData): Html {
  const words = messagesIn(account.language, { en, de }).consent.signOut;
  const asking = clientName === undefined ? words.anApplication : shown(clientName);
  return layout({
    title: words.title,
    account,
    width: "form",
    content: html`
      <div class="card">
        <h1>${words.title}</h1>
        <p>${words.asks(asking, shown(account.email))}</p>
        <form method="post" action="/end-session" class="stack">
          <input type="hidden" name="request" value="${request}">
          <p class="actions">
            <button class="button primary" type="submit" name="decision" value="sign_out">${words
              .signOut}</button>
            <button class="button" type="submit" name="decision" value="stay">${words.stay}</button>
          </p>
        </form>
      </div>
    `,
  });
}
