import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { layout } from "../layout.ts";
import { alertRegion, needsScript, statusRegion, withRequest } from "../parts.ts";
import { providerLinks } from "../provider-links.ts";
import type { ProvidersData } from "../provider-links.ts";

const STEPS = ["E-mail", "Code", "Passkey"] as const;

/** The steps of a ceremony, with the current one marked: they count from 1. */
export function stepList(names: readonly string[], current: number): Html {
  return html`
    <ol id="steps" class="steps" aria-label="Steps">
      ${names.map((name, index) => stepItem(name, index + 1, current))}
    </ol>
  `;
}

function stepItem(name: string, step: number, current: number): Html {
  if (step < current) return html`<li class="done">${name}</li>`;
  return html`<li ${step === current && html`aria-current="step"`}>${name}</li>`;
}

function emailStep(data: ProvidersData): Html {
  return html`
    <form id="email-form" class="stack">
      <fieldset disabled>
        <div class="field">
          <label for="email">E-mail address</label>
          <input id="email" name="email" type="email" autocomplete="email" autocapitalize="none"
            spellcheck="false"
            maxlength="254" required aria-describedby="email-hint">
          <p id="email-hint" class="hint">We send a code to it. It never signs you in by itself.</p>
        </div>
        <button class="button primary block" type="submit">Send the code</button>
      </fieldset>
      ${providerLinks(data)}
    </form>
  `;
}

function codeStep(mail: "sent" | "outbox"): Html {
  return html`
    <form id="code-form" class="stack" hidden>
      <div class="field">
        <label for="code">Code</label>
        <input id="code" name="code" class="code" type="text" inputmode="numeric" autocomplete="one-time-code"
          spellcheck="false" maxlength="12" required aria-describedby="code-hint">
        <p id="code-hint" class="hint">
          Six digits. They work for five minutes, in this browser only.
        </p>
      </div>
      ${mail === "outbox" && html`
        <p class="notice">
          Development: no mail is sent. <a href="/dev/outbox" target="_blank">Open the outbox</a> to read the code.
        </p>
      `}
      <button class="button primary block" type="submit">Check the code</button>
      <p class="actions between">
        <button id="other-address" class="button link" type="button">Use another address</button>
        <button id="resend" class="button link" type="button">Send a new code</button>
      </p>
    </form>
  `;
}

/** The form that makes the first passkey. */
export function passkeyForm(visibility: "hidden" | "shown"): Html {
  return html`
    <form id="passkey-form" class="stack" ${visibility === "hidden" && html`hidden`}>
      <p>
        Now make a passkey: your device asks for your fingerprint, your face or its PIN, and
        keeps the passkey. Your first key is made together with it.
      </p>
      <button class="button primary block" type="submit" ${visibility === "shown" &&
        html`disabled`}>Make a passkey</button>
    </form>
  `;
}

function accountExists(): Html {
  return html`
    <div id="account-exists" class="stack" hidden>
      <p>This address already has an account. Sign in with the passkey that belongs to it.</p>
      <p class="actions"><a id="sign-in-link" class="button primary block" href="/sign-in">Sign in</a></p>
    </div>
  `;
}

function emailWay(mail: "sent" | "outbox", providers: ProvidersData): Html {
  return html`
    ${stepList(STEPS, 1)} ${needsScript()} ${alertRegion("alert")} ${statusRegion("status")}
    ${emailStep(providers)} ${codeStep(mail)} ${passkeyForm("hidden")} ${accountExists()}
  `;
}

/** What the sign-up page needs to know. */
export interface SignUpPageData extends ProvidersData {
  /** Where a code goes: to the address, only to the development outbox, or nowhere: then other providers are all. */
  readonly mail: "sent" | "outbox" | "none";
  /** The authorization request that waits for an account. */
  readonly request?: string;
}

/**
 * Making an account in one page: address, code, passkey; or only the links to other providers, where nobody sends codes.
 */
export function signUpPage({ mail, request, ...providers }: SignUpPageData): Html {
  return layout({
    title: "Make an account",
    width: "form",
    ...(mail !== "none" && { script: "sign-up.client.js" }),
    content: html`
      <div class="card">
        <h1>Make an account</h1>
        ${mail === "none" ? providerLinks({ ...providers, isOnlyWay: true }) : emailWay(mail, providers)}
        <p class="fine">Have an account already? <a href="${withRequest("/sign-in", request)}">Sign in</a></p>
      </div>
    `,
  });
}
