import { type Html, html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { defineScript, type Script } from "../../ui/assets.ts";
import * as recoverScript from "./recover.client.js" with { type: "text" };
import * as recoveryApiScript from "./recovery-api.client.js" with { type: "text" };
import { type FrameView, layout } from "../../ui/layout.ts";
import { alertRegion, needsScript, shown, statusRegion, time } from "../../ui/parts.ts";
import type { OwnRecovery } from "../../api/recovery.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

export const RECOVER_SCRIPT: Script = defineScript("recover.client.js", {
  "recover.client.js": recoverScript,
  "recovery-api.client.js": recoveryApiScript,
}, { en, de });

export interface OwnRecoveryView extends OwnRecovery {
  /** True if a recovery code alone began it. */
  readonly byCode: boolean;
}

export interface RecoverPageData extends FrameView {
  /** How codes are delivered: by mail, only to the development outbox, or not at all. */
  readonly mail: "sent" | "outbox" | "none";
  readonly recovery?: OwnRecoveryView;
}

type RecoverWords = typeof en.recover;

function addressForm(words: RecoverWords): Html {
  return html`
    <form id="address-form" class="stack">
      <fieldset disabled>
        <div class="field">
          <label for="email">${words.emailAddress}</label>
          <input id="email" name="email" type="email" autocomplete="email" autocapitalize="none"
            spellcheck="false" maxlength="254" required aria-describedby="email-hint">
          <p id="email-hint" class="hint">${words.emailHint}</p>
        </div>
        <button class="button primary block" type="submit">${words.sendCode}</button>
      </fieldset>
    </form>
  `;
}

function codeField({ mail }: RecoverPageData, words: RecoverWords): Html {
  return html`
    <div class="field">
      <label for="code">${words.code}</label>
      <input id="code" name="code" class="code" type="text" autocomplete="one-time-code"
        autocapitalize="characters"
        spellcheck="false" maxlength="12" required aria-describedby="code-hint">
      <p id="code-hint" class="hint">${words.codeHint}</p>
    </div>
    ${mail === "outbox" && html`
      <p class="notice">${words.outbox} <a href="/dev/outbox" target="_blank">${words.openOutbox}</a></p>
    `}
  `;
}

function recoveryCodeField(id: string, hint: string, words: RecoverWords): Html {
  return html`
    <div class="field">
      <label for="${id}">${words.recoveryCode}</label>
      <input id="${id}" type="text" autocomplete="off" autocapitalize="characters" spellcheck="false"
        maxlength="40" placeholder="XXXX-XXXX-XXXX-XXXX" aria-describedby="${id}-hint">
      <p id="${id}-hint" class="hint">${hint}</p>
    </div>
  `;
}

function resendButton(words: RecoverWords): Html {
  return html`<p class="actions"><button id="resend" class="button link" type="button">${words.newCode}</button></p>`;
}

function beginForms(data: RecoverPageData, words: RecoverWords): Html {
  const isOnlyWay = data.mail === "none";
  return html`
    ${!isOnlyWay && html`
      ${addressForm(words)}
      <form id="begin-form" class="stack" hidden>
        ${codeField(data, words)}
        ${recoveryCodeField("recovery-code", words.recoveryCodeHint, words)}
        <button class="button primary block" type="submit">${words.begin}</button>
        ${resendButton(words)}
      </form>
    `}
    <details ${isOnlyWay && html`open`}>
      <summary>${words.withoutAddress}</summary>
      <form id="alone-form" class="stack">
        <fieldset disabled>
          ${recoveryCodeField("only-code", words.withoutAddressHint, words)}
          <button class="button block" type="submit">${words.begin}</button>
        </fieldset>
      </form>
    </details>
  `;
}

function facts(
  { begunAt, readyAt, endsAt }: OwnRecoveryView,
  data: RecoverPageData,
  words: RecoverWords,
): Html {
  const { language } = data;
  return html`
    <dl class="facts">
      <div>
        <dt>${words.begun}</dt>
        <dd>${time(begunAt, language)}</dd>
      </div>
      <div>
        <dt>${words.readyFrom}</dt>
        <dd>${time(readyAt, language)}</dd>
      </div>
      <div>
        <dt>${words.until}</dt>
        <dd>${time(endsAt, language)}</dd>
      </div>
    </dl>
  `;
}

function finishForms({ byCode }: OwnRecoveryView, data: RecoverPageData, words: RecoverWords): Html {
  if (byCode) {
    return html`
      <form id="finish-form" class="stack">
        <fieldset disabled>
          ${recoveryCodeField("recovery-code", words.recoveryCodeAgain, words)}
          <button class="button primary block" type="submit">${words.makePasskey}</button>
        </fieldset>
      </form>
    `;
  }
  return html`
    <p>${words.codeAgain}</p>
    ${addressForm(words)}
    <form id="finish-form" class="stack" hidden>
      ${codeField(data, words)}
      <button class="button primary block" type="submit">${words.makePasskey}</button>
      ${resendButton(words)}
    </form>
  `;
}

function content(data: RecoverPageData, words: RecoverWords): Html {
  const { recovery } = data;
  if (recovery === undefined) {
    return html`
      <h1>${words.title}</h1>
      <p>${words.otherDevice} <a href="/sign-in">${words.signIn}</a></p>
      <p>${words.what}</p>
      ${needsScript(data.language)} ${alertRegion("alert")} ${statusRegion("status")}
      ${beginForms(data, words)}
    `;
  }
  return html`
    <h1>${recovery.ready ? words.readyTitle : words.waitsTitle}</h1>
    ${facts(recovery, data, words)}
    <p>${recovery.ready ? words.ready : words.waits}</p>
    ${!recovery.ready && html`
      <p>${words.oneAlone}</p>
    `}
    ${needsScript(data.language)} ${alertRegion("alert")} ${statusRegion("status")}
    ${recovery.ready && finishForms(recovery, data, words)}
  `;
}

/** Renders this browser's recovery. Asks for the recovery code alone if the account has no address. */
export function recoverPage(data: RecoverPageData): Html {
  const words = messagesIn(data.language, { en, de }).recover;
  return layout({
    title: words.title,
    frame: data,
    width: "form",
    script: RECOVER_SCRIPT,
    content: html`<div class="card">${content(data, words)}</div>`,
  });
}

export interface CancelPageData extends FrameView {
  readonly state:
    | { readonly is: "waiting"; readonly recovery: string; readonly proof: string; readonly begunAt: string }
      & { readonly device: string; readonly network: string }
    | { readonly is: "cancelled" | "nothing" };
}

/** Renders the confirmation before a recovery is cancelled, because mail scanners open every link. */
export function cancelRecoveryPage(data: CancelPageData): Html {
  const { state, language } = data;
  const words = messagesIn(language, { en, de }).recover;
  const title =
    { waiting: words.cancelTitle, cancelled: words.cancelledTitle, nothing: words.nothingTitle }[state.is];
  return layout({
    title,
    frame: data,
    width: "form",
    content: html`
      <div class="card">
        <h1>${title}</h1>
        ${state.is === "nothing" && html`<p>${words.nothing}</p>`}
        ${state.is === "cancelled" && html`
          <p>${words.cancelled}</p>
          <p class="actions"><a class="button" href="/account/recovery">${words.afterwards}</a></p>
        `}
        ${state.is === "waiting" && html`
          <p>${words.cancelWhat}</p>
          <dl class="facts">
            <div>
              <dt>${words.begun}</dt>
              <dd>${time(state.begunAt, language)}</dd>
            </div>
            <div>
              <dt>${words.from}</dt>
              <dd>${shown(`${state.device}, ${state.network}`)}</dd>
            </div>
          </dl>
          <p>${words.cancelIfNot}</p>
          <form method="post" action="/recover/cancel" class="stack">
            <input type="hidden" name="recovery" value="${state.recovery}">
            <input type="hidden" name="proof" value="${state.proof}">
            <button class="button danger block" type="submit">${words.cancel}</button>
          </form>
        `}
      </div>
    `,
  });
}
