import { type Html, html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { defineScript, type Script } from "../../ui/assets.ts";
import { type AccountView, layout } from "../../ui/layout.ts";
import { alertRegion, needsScript, shown, statusRegion, time } from "../../ui/parts.ts";
import { sharedLines, type SharedView } from "../../ui/section/shared-access.ts";
import * as ownPolicy from "./own-policy.client.js" with { type: "text" };
import * as deviceScript from "./device.client.js" with { type: "text" };
import { isForUse, type KeyRightsData, keyRightsSection } from "./key-rights-section.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

export const DEVICE_SCRIPT: Script = defineScript(
  "device.client.js",
  { "device.client.js": deviceScript, "own-policy.client.js": ownPolicy },
  { en, de },
);

export interface DevicePageData {
  readonly account: AccountView;
  readonly request: {
    readonly userCode: string;
    readonly application: { readonly name: string; readonly uri: string };
    readonly network: string;
    readonly createdAt: string;
  };
  /** False if the user is in no group of the application. */
  readonly mayUse: boolean;
  /** True if the request includes `openid`. */
  readonly asksWho: boolean;
  readonly shared: SharedView;
  readonly keyRights: KeyRightsData | undefined;
}

/** Renders the form for a user code. `wrong` is the code that was entered and is not valid. */
export function deviceCodePage(account: AccountView, wrong: string | undefined): Html {
  const messages = messagesIn(account.language, { en, de }).consent.device;
  return layout({
    title: messages.title,
    account,
    width: "form",
    content: html`
      <div class="card">
        <h1>${messages.title}</h1>
        <p>${messages.enter}</p>
        ${wrong !== undefined && html`<p class="notice danger" role="alert">${messages.unknown}</p>`}
        <form method="get" action="/device" class="stack">
          <div class="field">
            <label for="user-code">${messages.code}</label>
            <input id="user-code" name="user_code" class="code" type="text" autocomplete="off"
              autocapitalize="characters" spellcheck="false" maxlength="40" required value="${wrong ?? ""}">
          </div>
          <p class="actions"><button class="button primary" type="submit">${messages.next}</button></p>
        </form>
      </div>
    `,
  });
}

function facts({ account, request, asksWho, shared }: DevicePageData): Html {
  const { language } = account;
  const messages = messagesIn(language, { en, de }).consent;
  return html`
    <dl class="facts">
      <div class="fact-wide">
        <dt>${messages.device.code}</dt>
        <dd><code>${request.userCode}</code></dd>
      </div>
      <div>
        <dt>${messages.device.from}</dt>
        <dd>${request.network}</dd>
      </div>
      <div>
        <dt>${messages.device.at}</dt>
        <dd>${time(request.createdAt, language)}</dd>
      </div>
      ${asksWho && html`
        <div class="fact-wide">
          <dt>${messages.sees}</dt>
          <dd>
            <ul>${sharedLines(shared, language).map((line) => html`<li>${line}</li>`)}</ul>
          </dd>
        </div>
      `}
      <div class="fact-wide">
        <dt>${messages.account}</dt>
        <dd>${shown(account.email)}</dd>
      </div>
    </dl>
  `;
}

/** Renders what a device asks for. Can be read without a script; deciding needs it and, to approve, a passkey. */
export function devicePage(data: DevicePageData): Html {
  const { account, request: { userCode, application }, mayUse, asksWho, keyRights } = data;
  const { language } = account;
  const messages = messagesIn(language, { en, de }).consent;
  const wantsKeys = keyRights !== undefined && isForUse(keyRights);
  const name = shown(application.name);
  const link = html`<a href="${application.uri}" rel="noreferrer">${shown(application.uri)}</a>`;
  return layout({
    title: messages.device.title,
    account,
    width: "form",
    script: DEVICE_SCRIPT,
    content: html`
      <div class="card">
        <h1>${messages.device.heading(name)}</h1>
        ${needsScript(language)}
        <p>${messages.asks(name, link, { who: asksWho, keys: wantsKeys })}</p>
        <p class="notice">${messages.device.compare}</p>
        ${facts(data)}
        ${!mayUse &&
          html`<p class="notice danger">${messages.noAccess.means(shown(account.email), name)}</p>`}
        <p class="hint">${!wantsKeys && `${messages.noKeys} `}${messages.withdraw}</p>
        ${alertRegion("device-alert")} ${statusRegion("device-status")}
        <div id="device-decision" class="stack" data-user-code="${userCode}">
          <form id="device-approval">
            <fieldset disabled class="stack">
              ${mayUse && keyRights !== undefined && keyRightsSection(keyRights, language)}
              <p class="actions">
                ${mayUse &&
                  html`<button class="button primary" type="submit">${messages.device.allow}</button>`}
                <button id="device-denial" class="button" type="button">${messages.deny}</button>
              </p>
            </fieldset>
          </form>
        </div>
      </div>
    `,
  });
}
