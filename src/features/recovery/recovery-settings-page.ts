import { type Html, html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { defineScript, type Script } from "../../ui/assets.ts";
import * as recoveryApiScript from "./recovery-api.client.js" with { type: "text" };
import * as recoverySettingsScript from "./recovery-settings.client.js" with { type: "text" };
import { type AccountView, layout } from "../../ui/layout.ts";
import { alertRegion, copyButton, shown, statusRegion, time } from "../../ui/parts.ts";
import type { RecoverySettingsJson } from "../../api/recovery.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

export const WAY_BACK_SCRIPT: Script = defineScript("recovery-settings.client.js", {
  "recovery-api.client.js": recoveryApiScript,
  "recovery-settings.client.js": recoverySettingsScript,
}, { en, de });

export interface RecoverySettingsPageData {
  readonly account: AccountView;
  readonly recoverySettings: RecoverySettingsJson;
  readonly passkeys: number;
  readonly hasAddress: boolean;
  /** The path to continue to after sign-up. */
  readonly next?: string;
}

type RecoverySettingsMessages = typeof en.recoverySettings;

const DELAYS = [24, 48, 72, 7 * 24, 14 * 24, 30 * 24] as const;

function pendingNotice(
  { recoverySettings: { recovery }, account: { language } }: RecoverySettingsPageData,
  messages: RecoverySettingsMessages,
): Html | undefined {
  if (recovery === null) return undefined;
  const { begunAt, readyAt, device, network } = recovery;
  return html`
    <div class="notice danger stack" role="group" aria-labelledby="waits-title">
      <h2 id="waits-title">${messages.waitsTitle}</h2>
      <p>${messages.waits}</p>
      <dl class="facts">
        <div>
          <dt>${messages.begun}</dt>
          <dd>${time(begunAt, language)}</dd>
        </div>
        <div>
          <dt>${messages.from}</dt>
          <dd>${shown(`${device}, ${network}`)}</dd>
        </div>
        <div>
          <dt>${messages.readyFrom}</dt>
          <dd>${time(readyAt, language)}</dd>
        </div>
      </dl>
      <p>${messages.waitsIfNot}</p>
      <form id="cancel-form"><button class="button danger" type="submit" disabled>${messages
        .cancel}</button></form>
    </div>
  `;
}

function passkeySection({ passkeys }: RecoverySettingsPageData, messages: RecoverySettingsMessages): Html {
  return html`
    <section class="card stack" aria-labelledby="second">
      <h2 id="second">${messages.second}</h2>
      <p>${messages.secondWhat}</p>
      <p class="fine">${messages.passkeys(passkeys)}</p>
      <form id="passkey-form"><button class="button primary" type="submit" disabled>${messages
        .addPasskey}</button></form>
      ${statusRegion("passkey-status")}
    </section>
  `;
}

function codesState(
  { recoverySettings: { codesLeft, codesMadeAt }, account: { language } }: RecoverySettingsPageData,
  messages: RecoverySettingsMessages,
): Html {
  if (codesMadeAt === null) return html`<p id="codes-state" class="fine">${messages.codesNone}</p>`;
  return html`<p id="codes-state" class="fine">${messages.codesLeft(codesLeft)}, ${messages.codesMade} ${
    time(codesMadeAt, language)
  }.</p>`;
}

function codesSection(data: RecoverySettingsPageData, messages: RecoverySettingsMessages): Html {
  const { recoverySettings: { codesMadeAt, delayHours }, hasAddress, account: { language } } = data;
  return html`
    <section class="card stack" aria-labelledby="codes">
      <h2 id="codes">${messages.codes}</h2>
      <p>${hasAddress ? messages.codesWhat(delayHours) : messages.codesWhatAlone(delayHours)}</p>
      ${codesState(data, messages)}
      <div id="codes-shown" class="stack" hidden>
        <p class="notice">${messages.codesShown}</p>
        <pre id="code-list" tabindex="0" role="group" aria-label="${messages.codes}"></pre>
        <p class="actions">${copyButton("code-list", messages.codesCopied, language)}</p>
      </div>
      <form id="codes-form" class="stack">
        ${codesMadeAt !== null && html`<p class="fine">${messages.newCodesHint}</p>`}
        <button class="button ${codesMadeAt === null
          ? "primary"
          : ""}" type="submit" disabled>${codesMadeAt === null
          ? messages.makeCodes
          : messages.makeNewCodes}</button>
      </form>
      ${statusRegion("codes-status")}
    </section>
  `;
}

function choicesSection(
  { recoverySettings, hasAddress }: RecoverySettingsPageData,
  messages: RecoverySettingsMessages,
): Html {
  const { emailAlone, delayHours } = recoverySettings;
  const delays = [...new Set([...DELAYS, delayHours])].toSorted((a, b) => a - b);
  return html`
    <section class="card stack" aria-labelledby="choices">
      <h2 id="choices">${messages.choices}</h2>
      <form id="choices-form" class="stack">
        <fieldset disabled class="stack">
          <div class="field">
            <label for="delay">${messages.delay}</label>
            <select id="delay" aria-describedby="delay-hint">
              ${delays.map((hours) =>
                html`<option value="${hours}" ${hours === delayHours && html`selected`}>${
                  messages.hours(hours)
                }</option>`
              )}
            </select>
            <p id="delay-hint" class="hint">${messages.delayHint}</p>
          </div>
          ${hasAddress && html`
            <div class="field choices">
              <label
                class="choice"><input id="email-alone" type="checkbox" ${emailAlone && html`
                  checked
                `} aria-describedby="alone-hint"> ${messages.emailAlone}</label>
              <p id="alone-hint" class="hint">${messages.emailAloneHint}</p>
            </div>
          `}
          <button class="button" type="submit">${messages.save}</button>
        </fieldset>
      </form>
      ${statusRegion("choices-status")}
    </section>
  `;
}

function nextStep({ next }: RecoverySettingsPageData, messages: RecoverySettingsMessages): Html {
  return next === undefined
    ? html`<p><a href="/account">${messages.account}</a></p>`
    : html`<p class="actions"><a id="way-on" class="button block" href="${next}">${messages.later}</a></p>`;
}

/** Renders the recovery settings of an account. Also shown after sign-up. */
export function recoverySettingsPage(data: RecoverySettingsPageData): Html {
  const { account, recoverySettings: { settlingUntil }, next } = data;
  const messages = messagesIn(account.language, { en, de }).recoverySettings;
  const title = next === undefined ? messages.title : messages.titleAfterSignUp;
  return layout({
    title,
    account,
    place: "account",
    width: "form",
    script: WAY_BACK_SCRIPT,
    content: html`
      <div class="stack" data-go-on="${messages.goOn}" id="recovery-settings">
        <h1>${title}</h1>
        <p>${messages.introduction}</p>
        <noscript><p class="notice">${messages.needsScript}</p></noscript>
        ${settlingUntil !== null &&
          html`<p class="notice">${messages.inCooldown} ${time(settlingUntil, account.language)}.</p>`}
        ${alertRegion("alert")}
        ${pendingNotice(data, messages)}
        ${passkeySection(data, messages)}
        ${codesSection(data, messages)}
        ${next === undefined && choicesSection(data, messages)}
        ${nextStep(data, messages)}
      </div>
    `,
  });
}
