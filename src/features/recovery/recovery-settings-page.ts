import { type Html, html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { defineScript, type Script } from "../../ui/assets.ts";
import * as recoveryApiScript from "./recovery-api.client.js" with { type: "text" };
import * as wayBackScript from "./recovery-settings.client.js" with { type: "text" };
import { type AccountView, layout } from "../../ui/layout.ts";
import { alertRegion, copyButton, shown, statusRegion, time } from "../../ui/parts.ts";
import type { RecoverySettings } from "../../api/recovery.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

export const WAY_BACK_SCRIPT: Script = defineScript("recovery-settings.client.js", {
  "recovery-api.client.js": recoveryApiScript,
  "recovery-settings.client.js": wayBackScript,
}, { en, de });

export interface WayBackPageData {
  readonly account: AccountView;
  readonly wayBack: RecoverySettings;
  readonly passkeys: number;
  readonly hasAddress: boolean;
  /** The path to continue to after sign-up. */
  readonly next?: string;
}

type WayBackWords = typeof en.wayBack;

const DELAYS = [24, 48, 72, 7 * 24, 14 * 24, 30 * 24] as const;

function waitingNotice(
  { wayBack: { recovery }, account: { language } }: WayBackPageData,
  words: WayBackWords,
): Html | undefined {
  if (recovery === null) return undefined;
  const { begunAt, readyAt, device, network } = recovery;
  return html`
    <div class="notice danger stack" role="group" aria-labelledby="waits-title">
      <h2 id="waits-title">${words.waitsTitle}</h2>
      <p>${words.waits}</p>
      <dl class="facts">
        <div>
          <dt>${words.begun}</dt>
          <dd>${time(begunAt, language)}</dd>
        </div>
        <div>
          <dt>${words.from}</dt>
          <dd>${shown(`${device}, ${network}`)}</dd>
        </div>
        <div>
          <dt>${words.readyFrom}</dt>
          <dd>${time(readyAt, language)}</dd>
        </div>
      </dl>
      <p>${words.waitsIfNot}</p>
      <form id="cancel-form"><button class="button danger" type="submit" disabled>${words
        .cancel}</button></form>
    </div>
  `;
}

function passkeySection({ passkeys }: WayBackPageData, words: WayBackWords): Html {
  return html`
    <section class="card stack" aria-labelledby="second">
      <h2 id="second">${words.second}</h2>
      <p>${words.secondWhat}</p>
      <p class="fine">${words.passkeys(passkeys)}</p>
      <form id="passkey-form"><button class="button primary" type="submit" disabled>${words
        .addPasskey}</button></form>
      ${statusRegion("passkey-status")}
    </section>
  `;
}

function codesState(
  { wayBack: { codesLeft, codesMadeAt }, account: { language } }: WayBackPageData,
  words: WayBackWords,
): Html {
  if (codesMadeAt === null) return html`<p id="codes-state" class="fine">${words.codesNone}</p>`;
  return html`<p id="codes-state" class="fine">${words.codesLeft(codesLeft)}, ${words.codesMade} ${
    time(codesMadeAt, language)
  }.</p>`;
}

function codesSection(data: WayBackPageData, words: WayBackWords): Html {
  const { wayBack: { codesMadeAt, delayHours }, hasAddress, account: { language } } = data;
  return html`
    <section class="card stack" aria-labelledby="codes">
      <h2 id="codes">${words.codes}</h2>
      <p>${hasAddress ? words.codesWhat(delayHours) : words.codesWhatAlone(delayHours)}</p>
      ${codesState(data, words)}
      <div id="codes-shown" class="stack" hidden>
        <p class="notice">${words.codesShown}</p>
        <pre id="code-list" tabindex="0" role="group" aria-label="${words.codes}"></pre>
        <p class="actions">${copyButton("code-list", words.codesCopied, language)}</p>
      </div>
      <form id="codes-form" class="stack">
        ${codesMadeAt !== null && html`<p class="fine">${words.newCodesHint}</p>`}
        <button class="button ${codesMadeAt === null
          ? "primary"
          : ""}" type="submit" disabled>${codesMadeAt === null
          ? words.makeCodes
          : words.makeNewCodes}</button>
      </form>
      ${statusRegion("codes-status")}
    </section>
  `;
}

function choicesSection({ wayBack, hasAddress }: WayBackPageData, words: WayBackWords): Html {
  const { emailAlone, delayHours } = wayBack;
  const delays = [...new Set([...DELAYS, delayHours])].toSorted((a, b) => a - b);
  return html`
    <section class="card stack" aria-labelledby="choices">
      <h2 id="choices">${words.choices}</h2>
      <form id="choices-form" class="stack">
        <fieldset disabled class="stack">
          <div class="field">
            <label for="delay">${words.delay}</label>
            <select id="delay" aria-describedby="delay-hint">
              ${delays.map((hours) =>
                html`<option value="${hours}" ${hours === delayHours && html`selected`}>${
                  words.hours(hours)
                }</option>`
              )}
            </select>
            <p id="delay-hint" class="hint">${words.delayHint}</p>
          </div>
          ${hasAddress && html`
            <div class="field choices">
              <label
                class="choice"><input id="email-alone" type="checkbox" ${emailAlone && html`
                  checked
                `} aria-describedby="alone-hint"> ${words.emailAlone}</label>
              <p id="alone-hint" class="hint">${words.emailAloneHint}</p>
            </div>
          `}
          <button class="button" type="submit">${words.save}</button>
        </fieldset>
      </form>
      ${statusRegion("choices-status")}
    </section>
  `;
}

function wayOn({ next }: WayBackPageData, words: WayBackWords): Html {
  return next === undefined
    ? html`<p><a href="/account">${words.account}</a></p>`
    : html`<p class="actions"><a id="way-on" class="button block" href="${next}">${words.later}</a></p>`;
}

/** Renders the recovery settings of an account. Also shown after sign-up. */
export function wayBackPage(data: WayBackPageData): Html {
  const { account, wayBack: { settlingUntil }, next } = data;
  const words = messagesIn(account.language, { en, de }).wayBack;
  const title = next === undefined ? words.title : words.titleAfterSignUp;
  return layout({
    title,
    account,
    place: "account",
    width: "form",
    script: WAY_BACK_SCRIPT,
    content: html`
      <div class="stack" data-go-on="${words.goOn}" id="way-back">
        <h1>${title}</h1>
        <p>${words.introduction}</p>
        <noscript><p class="notice">${words.needsScript}</p></noscript>
        ${settlingUntil !== null &&
          html`<p class="notice">${words.settling} ${time(settlingUntil, account.language)}.</p>`}
        ${alertRegion("alert")}
        ${waitingNotice(data, words)}
        ${passkeySection(data, words)}
        ${codesSection(data, words)}
        ${next === undefined && choicesSection(data, words)}
        ${wayOn(data, words)}
      </div>
    `,
  });
}
