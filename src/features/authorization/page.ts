import { type Html, html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { type Client, siteOf } from "../../oauth/client/client.ts";
import { isDocumentId } from "../../oauth/client/document-url.ts";
import { defineScript, type Script } from "../../ui/assets.ts";
import { PRODUCT } from "../../ui/brand.ts";
import { type AccountView, layout } from "../../ui/layout.ts";
import { shown } from "../../ui/parts.ts";
import { sharedLines, type SharedView } from "../../ui/section/shared-access.ts";
import * as consentScript from "./consent.client.js" with { type: "text" };
import * as ownPolicy from "./own-policy.client.js" with { type: "text" };
import { isForUse, type KeyRightsData, keyRightsSection } from "./key-rights-section.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

/** The script of a page on which the owner picks the policy. All other choices work without. */
export const CONSENT_SCRIPT: Script = defineScript("consent.client.js", {
  "consent.client.js": consentScript,
  "own-policy.client.js": ownPolicy,
});

export interface ConsentPageData {
  readonly account: AccountView;
  readonly request: string;
  readonly client: Pick<Client, "clientId" | "name" | "uri">;
  /** True if the request includes `openid`. */
  readonly asksWho: boolean;
  /** The target of the response, as the user can judge it: a host, or an application's own URI scheme. */
  readonly redirectTarget: string;
  readonly shared: SharedView;
  readonly keyRights: KeyRightsData | undefined;
}

/** Returns true if the response goes to a program on this device, not to an HTTPS host. */
function isOnDevice(redirectTarget: string): boolean {
  return !redirectTarget.startsWith("https:");
}

export function consentPage(data: ConsentPageData): Html {
  const { account, request, client, redirectTarget, asksWho, shared, keyRights } = data;
  // The name of a client that describes itself is its own claim. The host that it was fetched from is not.
  const describesItself = isDocumentId(client.clientId);
  const asking = describesItself ? siteOf(client) : client.name;
  const messages = messagesIn(account.language, { en, de }).consent;
  const wantsKeys = keyRights !== undefined && isForUse(keyRights);
  const link = html`<a href="${client.uri}" rel="noreferrer">${shown(client.uri)}</a>`;
  return layout({
    title: messages.title(asking),
    account,
    width: "form",
    ...(keyRights?.picks === true ? { script: CONSENT_SCRIPT } : {}),
    content: html`
      <div class="card">
        <h1>${messages.heading(shown(asking))}</h1>
        <p>${messages.asks(shown(asking), link, { who: asksWho, keys: wantsKeys })}</p>
        ${describesItself && html`<p class="notice">${messages.claims(shown(client.name))}</p>`}
        <dl class="facts">
          ${asksWho && html`
            <div class="fact-wide">
              <dt>${messages.sees}</dt>
              <dd>
                <ul>${sharedLines(shared, account.language).map((line) => html`<li>${line}</li>`)}</ul>
              </dd>
            </div>
          `}
          <div class="fact-wide">
            <dt>${messages.account}</dt>
            <dd>${shown(account.email)}</dd>
          </div>
          <div class="fact-wide">
            <dt>${messages.target}</dt>
            <dd><code>${redirectTarget}</code>${isOnDevice(redirectTarget) &&
              ` ${messages.onThisDevice}`}</dd>
          </div>
        </dl>
        <p class="hint">${!wantsKeys && `${messages.noKeys} `}${messages.withdraw}</p>
        <form method="post" action="/consent" class="stack">
          <input type="hidden" name="request" value="${request}">
          ${keyRights !== undefined && keyRightsSection(keyRights, account.language)}
          <p class="actions">
            <button class="button primary" type="submit" name="decision" value="approve">${messages
              .allow}</button>
            <button class="button" type="submit" name="decision" value="deny">${messages.deny}</button>
          </p>
        </form>
        <p class="fine"><a href="/sign-in?request=${request}&amp;account=other">${messages
          .otherAccount}</a></p>
      </div>
    `,
  });
}

/** Renders the page for a user who may not use an application, with the only way back to it. */
export function noAccessPage(
  { account, clientName, uri }: {
    readonly account: AccountView;
    readonly clientName: string;
    /** The redirect URI with the error. */
    readonly uri: string;
  },
): Html {
  const messages = messagesIn(account.language, { en, de }).consent.noAccess;
  return layout({
    title: messages.title,
    account,
    width: "form",
    content: html`
      <div class="card">
        <h1>${messages.title}</h1>
        <p>${messages.means(shown(account.email), shown(clientName))}</p>
        <p class="actions"><a class="button primary" href="${uri}" rel="noreferrer">${messages.back(
          shown(clientName),
        )}</a></p>
      </div>
    `,
  });
}

export interface EndSessionPageData {
  readonly account: AccountView;
  readonly request: string;
  /** The application's name. Undefined if the request did not identify it. */
  readonly clientName: string | undefined;
}

/** Renders the confirmation of a sign-out, because any page can send the browser here (RP-Initiated Logout 1.0). */
export function endSessionPage({ account, request, clientName }: EndSessionPageData): Html {
  const messages = messagesIn(account.language, { en, de }).consent.signOut;
  const asking = clientName === undefined ? messages.anApplication : shown(clientName);
  return layout({
    title: messages.title,
    account,
    width: "form",
    content: html`
      <div class="card">
        <h1>${messages.title}</h1>
        <p>${messages.asks(asking, shown(account.email), (account.brand ?? PRODUCT).name)}</p>
        <form method="post" action="/end-session" class="stack">
          <input type="hidden" name="request" value="${request}">
          <p class="actions">
            <button class="button primary" type="submit" name="decision" value="sign_out">${messages
              .signOut}</button>
            <button class="button" type="submit" name="decision" value="stay">${messages.stay}</button>
          </p>
        </form>
      </div>
    `,
  });
}
