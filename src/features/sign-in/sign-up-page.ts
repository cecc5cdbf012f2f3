import { type Html, html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { defineScript, type Script } from "../../ui/assets.ts";
import * as signInApiScript from "./sign-in-api.client.js" with { type: "text" };
import * as firstPasskeyScript from "./first-passkey.client.js" with { type: "text" };
import * as sentCodeScript from "./sent-code.client.js" with { type: "text" };
import * as signUpScript from "./sign-up.client.js" with { type: "text" };
import { layout } from "../../ui/layout.ts";
import { alertRegion, needsScript, shown, statusRegion, withQuery } from "../../ui/parts.ts";
import { providerLinks, type ProvidersData } from "./provider-links.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

export const SIGN_UP_SCRIPT: Script = defineScript("sign-up.client.js", {
  "first-passkey.client.js": firstPasskeyScript,
  "sent-code.client.js": sentCodeScript,
  "sign-in-api.client.js": signInApiScript,
  "sign-up.client.js": signUpScript,
}, { en, de });

type SignUpMessages = typeof en.signUp;

/** Renders the steps of a ceremony. `current` counts from 1. */
export function stepList(names: readonly string[], current: number, messages: SignUpMessages): Html {
  return html`
    <ol id="steps" class="steps" aria-label="${messages.steps}">
      ${names.map((name, index) => stepItem(name, index + 1, current))}
    </ol>
  `;
}

function stepItem(name: string, step: number, current: number): Html {
  if (step < current) return html`<li class="done">${name}</li>`;
  return html`<li ${step === current && html`aria-current="step"`}>${name}</li>`;
}

function emailStep({ verifiedEmail, invited, ...providers }: SignUpPageData, messages: SignUpMessages): Html {
  const invitedMessages = messagesIn(providers.language, { en, de }).invited;
  return html`
    ${invited !== undefined &&
      html`<p class="notice">${
        invited === null ? invitedMessages.anyone : invitedMessages.address(shown(invited))
      }</p>`}
    <form id="email-form" class="stack" ${verifiedEmail !== undefined && html`hidden`}>
      <fieldset disabled>
        <div class="field">
          <label for="email">${messages.emailAddress}</label>
          <input id="email" name="email" type="email" autocomplete="email" autocapitalize="none"
            spellcheck="false"
            maxlength="254" required value="${invited ?? ""}" aria-describedby="email-hint">
          <p id="email-hint" class="hint">${messages.emailHint}</p>
        </div>
        <button class="button primary block" type="submit">${messages.sendCode}</button>
      </fieldset>
      ${providerLinks(providers)}
    </form>
  `;
}

function codeStep({ mail, tries }: SignUpPageData, messages: SignUpMessages): Html {
  return html`
    <form id="code-form" class="stack" data-tries="${tries}" hidden>
      <div id="code-entry" class="stack">
        <div class="field">
          <label for="code">${messages.code}</label>
          <input id="code" name="code" class="code" type="text" inputmode="numeric" autocomplete="one-time-code"
            spellcheck="false" maxlength="12" required aria-describedby="code-hint">
          <p id="code-hint" class="hint">
            ${messages.codeHint(html`<bdi id="code-to">${messages.yourAddress}</bdi>`)}
          </p>
        </div>
        ${mail === "outbox" && html`
          <p class="notice">
            ${messages.development((open) => html`<a href="/dev/outbox" target="_blank">${open}</a>`)}
          </p>
        `}
        <button class="button primary block" type="submit">${messages.checkCode}</button>
      </div>
      <p class="actions between">
        <button id="other-address" class="button link" type="button">${messages.otherAddress}</button>
        <button id="resend" class="button link" type="button">${messages.resend}</button>
      </p>
    </form>
  `;
}

/** Renders the form that creates the first passkey. `user` is the user handle in base64url, if known. */
export function passkeyForm(messages: SignUpMessages, user: string | undefined): Html {
  return html`
    <form id="passkey-form" class="stack" ${user !== undefined && html`data-user="${user}"`}>
      <p>
        ${messages.makePasskey}
      </p>
      <button class="button primary block" type="submit" disabled>${messages.make}</button>
    </form>
  `;
}

function accountExists(messages: SignUpMessages): Html {
  return html`
    <div id="account-exists" class="stack" hidden>
      <p>${messages.accountExists}</p>
      <p class="actions"><a id="sign-in-link" class="button primary block" href="/sign-in">${messages
        .signIn}</a></p>
    </div>
  `;
}

/** Renders the last step, which is shown from the start to a browser that has verified its address. */
function passkeyStep(data: SignUpPageData, messages: SignUpMessages): Html {
  const { verifiedEmail, user, returnTo = "", otherAccountQuery = returnTo } = data;
  const afresh = withQuery(
    "/sign-up",
    otherAccountQuery === "" ? "afresh=1" : `${otherAccountQuery}&afresh=1`,
  );
  return html`
    <div id="passkey-step" class="stack" ${verifiedEmail === undefined && html`hidden`}>
      <p>${messages.confirmed(html`<strong id="verified-email">${shown(verifiedEmail ?? "")}</strong>`)}</p>
      ${passkeyForm(messages, user)}
      <p class="fine"><a href="${afresh}">${messages.otherAddress}</a></p>
    </div>
  `;
}

function emailSection(data: SignUpPageData, messages: SignUpMessages): Html {
  const steps = [messages.email, messages.code, messages.passkey];
  return html`
    ${stepList(steps, data.verifiedEmail === undefined ? 1 : 3, messages)} ${needsScript(
      data.language,
    )} ${alertRegion("alert")} ${statusRegion("status")}
    ${emailStep(data, messages)} ${codeStep(data, messages)} ${passkeyStep(data, messages)} ${accountExists(
      messages,
    )}
  `;
}

export interface SignUpPageData extends ProvidersData {
  /** The delivery of codes. With `none`, only other providers are offered. */
  readonly mail: "sent" | "outbox" | "none";
  readonly tries: number;
  /** The address that this browser has already verified. Only the passkey is missing. */
  readonly verifiedEmail?: string;
  /** The user handle of the account that will be created for it, in base64url. */
  readonly user?: string;
  /** The address of the invitation, null for an invitation without one. Undefined without an invitation. */
  readonly invited?: string | null;
  readonly otherAccountQuery?: string;
}

/** Renders the sign-up on one page. Without mail delivery, renders only the links to other providers. */
export function signUpPage(data: SignUpPageData): Html {
  const { mail, returnTo = "", otherAccountQuery = returnTo, language } = data;
  const messages = messagesIn(language, { en, de }).signUp;
  return layout({
    title: messages.title,
    frame: data,
    width: "form",
    ...(mail !== "none" && { script: SIGN_UP_SCRIPT }),
    content: html`
      <div class="card">
        <h1>${messages.title}</h1>
        ${mail === "none" ? providerLinks({ ...data, isOnlyMethod: true }) : emailSection(data, messages)}
        <p class="fine">${messages.haveAccount} <a href="${withQuery(
          "/sign-in",
          otherAccountQuery,
        )}">${messages
          .signIn}</a></p>
      </div>
    `,
  });
}
