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

type RecoverMessages = typeof en.recover;

function addressForm(messages: RecoverMessages): Html {
  return html`
    <form id="address-form" class="stack">
      <fieldset disabled>
        <div class="field">
          <label for="email">${messages.emailAddress}</label>
          <input id="email" name="email" type="email" autocomplete="email" autocapitalize="none"
            spellcheck="false" maxlength="254" required aria-describedby="email-hint">
          <p id="email-hint" class="hint">${messages.emailHint}</p>
        </div>
        <button class="button primary block" type="submit">${messages.sendCode}</button>
      </fieldset>
    </form>
  `;
}

function codeField({ mail }: RecoverPageData, messages: RecoverMessages): Html {
  return html`
    <div class="field">
      <label for="code">${messages.code}</label>
      <input id="code" name="code" class="code" type="text" autocomplete="one-time-code"
        autocapitalize="characters"
        spellcheck="false" maxlength="12" required aria-describedby="code-hint">
      <p id="code-hint" class="hint">${messages.codeHint}</p>
    </div>
    ${mail === "outbox" && html`
      <p class="notice">${messages.outbox} <a href="/dev/outbox" target="_blank">${messages
        .openOutbox}</a></p>
    `}
  `;
}

function recoveryCodeField(id: string, hint: string, messages: RecoverMessages): Html {
  return html`
    <div class="field">
      <label for="${id}">${messages.recoveryCode}</label>
      <input id="${id}" type="text" autocomplete="off" autocapitalize="characters" spellcheck="false"
        maxlength="40" placeholder="XXXX-XXXX-XXXX-XXXX" aria-describedby="${id}-hint">
      <p id="${id}-hint" class="hint">${hint}</p>
    </div>
  `;
}

function resendButton(messages: RecoverMessages): Html {
  return html`<p class="actions"><button id="resend" class="button link" type="button">${messages.newCode}</button></p>`;
}

function beginForms(data: RecoverPageData, messages: RecoverMessages): Html {
  const isOnlyMethod = data.mail === "none";
  return html`
    ${!isOnlyMethod && html`
      ${addressForm(messages)}
      <form id="begin-form" class="stack" hidden>
        ${codeField(data, messages)}
        ${recoveryCodeField("recovery-code", messages.recoveryCodeHint, messages)}
        <button class="button primary block" type="submit">${messages.begin}</button>
        ${resendButton(messages)}
      </form>
    `}
    <details ${isOnlyMethod && html`open`}>
      <summary>${messages.withoutAddress}</summary>
      <form id="alone-form" class="stack">
        <fieldset disabled>
          ${recoveryCodeField("only-code", messages.withoutAddressHint, messages)}
          <button class="button block" type="submit">${messages.begin}</button>
        </fieldset>
      </form>
    </details>
  `;
}

function facts(
  { begunAt, readyAt, endsAt }: OwnRecoveryView,
  data: RecoverPageData,
  messages: RecoverMessages,
): Html {
  const { language } = data;
  return html`
    <dl class="facts">
      <div>
        <dt>${messages.begun}</dt>
        <dd>${time(begunAt, language)}</dd>
      </div>
      <div>
        <dt>${messages.readyFrom}</dt>
        <dd>${time(readyAt, language)}</dd>
      </div>
      <div>
        <dt>${messages.until}</dt>
        <dd>${time(endsAt, language)}</dd>
      </div>
    </dl>
  `;
}

function finishForms({ byCode }: OwnRecoveryView, data: RecoverPageData, messages: RecoverMessages): Html {
  if (byCode) {
    return html`
      <form id="finish-form" class="stack">
        <fieldset disabled>
          ${recoveryCodeField("recovery-code", messages.recoveryCodeAgain, messages)}
          <button class="button primary block" type="submit">${messages.makePasskey}</button>
        </fieldset>
      </form>
    `;
  }
  return html`
    <p>${messages.codeAgain}</p>
    ${addressForm(messages)}
    <form id="finish-form" class="stack" hidden>
      ${codeField(data, messages)}
      <button class="button primary block" type="submit">${messages.makePasskey}</button>
      ${resendButton(messages)}
    </form>
  `;
}

function content(data: RecoverPageData, messages: RecoverMessages): Html {
  const { recovery } = data;
  if (recovery === undefined) {
    return html`
      <h1>${messages.title}</h1>
      <p>${messages.otherDevice} <a href="/sign-in">${messages.signIn}</a></p>
      <p>${messages.what}</p>
      ${needsScript(data.language)} ${alertRegion("alert")} ${statusRegion("status")}
      ${beginForms(data, messages)}
    `;
  }
  return html`
    <h1>${recovery.ready ? messages.readyTitle : messages.waitsTitle}</h1>
    ${facts(recovery, data, messages)}
    <p>${recovery.ready ? messages.ready : messages.waits}</p>
    ${!recovery.ready && html`
      <p>${messages.oneAlone}</p>
    `}
    ${needsScript(data.language)} ${alertRegion("alert")} ${statusRegion("status")}
    ${recovery.ready && finishForms(recovery, data, messages)}
  `;
}

/** Renders this browser's recovery. Asks for the recovery code alone if the account has no address. */
export function recoverPage(data: RecoverPageData): Html {
  const messages = messagesIn(data.language, { en, de }).recover;
  return layout({
    title: messages.title,
    frame: data,
    width: "form",
    script: RECOVER_SCRIPT,
    content: html`<div class="card">${content(data, messages)}</div>`,
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
  const messages = messagesIn(language, { en, de }).recover;
  const title = {
    waiting: messages.cancelTitle,
    cancelled: messages.cancelledTitle,
    nothing: messages.nothingTitle,
  }[state.is];
  return layout({
    title,
    frame: data,
    width: "form",
    content: html`
      <div class="card">
        <h1>${title}</h1>
        ${state.is === "nothing" && html`<p>${messages.nothing}</p>`}
        ${state.is === "cancelled" && html`
          <p>${messages.cancelled}</p>
          <p class="actions"><a class="button" href="/account/recovery">${messages.afterwards}</a></p>
        `}
        ${state.is === "waiting" && html`
          <p>${messages.cancelWhat}</p>
          <dl class="facts">
            <div>
              <dt>${messages.begun}</dt>
              <dd>${time(state.begunAt, language)}</dd>
            </div>
            <div>
              <dt>${messages.from}</dt>
              <dd>${shown(`${state.device}, ${state.network}`)}</dd>
            </div>
          </dl>
          <p>${messages.cancelIfNot}</p>
          <form method="post" action="/recover/cancel" class="stack">
            <input type="hidden" name="recovery" value="${state.recovery}">
            <input type="hidden" name="proof" value="${state.proof}">
            <button class="button danger block" type="submit">${messages.cancel}</button>
          </form>
        `}
      </div>
    `,
  });
}
