import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { layout } from "../layout.ts";
import { alertRegion, needsScript, shown, statusRegion, withRequest } from "../parts.ts";
import { providerLinks } from "../provider-links.ts";
import type { ProvidersData } from "../provider-links.ts";
import { wordsIn } from "../words/words.ts";

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

function emailStep({ provenEmail, invited, ...providers }: SignUpPageData): Html {
  const words = wordsIn(providers.language).invited;
  return html`
    ${invited !== undefined &&
      html`<p class="notice">${invited === null ? words.anybody : words.address(shown(invited))}</p>`}
    <form id="email-form" class="stack" ${provenEmail !== undefined && html`hidden`}>
      <fieldset disabled>
        <div class="field">
          <label for="email">E-mail address</label>
          <input id="email" name="email" type="email" autocomplete="email" autocapitalize="none"
            spellcheck="false"
            maxlength="254" required value="${invited ?? ""}" aria-describedby="email-hint">
          <p id="email-hint" class="hint">We send a code to it. It never signs you in by itself.</p>
        </div>
        <button class="button primary block" type="submit">Send the code</button>
      </fieldset>
      ${providerLinks(providers)}
    </form>
  `;
}

function codeStep({ mail, tries }: SignUpPageData): Html {
  return html`
    <form id="code-form" class="stack" data-tries="${tries}" hidden>
      <div id="code-entry" class="stack">
        <div class="field">
          <label for="code">Code</label>
          <input id="code" name="code" class="code" type="text" inputmode="numeric" autocomplete="one-time-code"
            spellcheck="false" maxlength="12" required aria-describedby="code-hint">
          <p id="code-hint" class="hint">
            Six digits, sent to <bdi id="code-to">your address</bdi>. They work for five minutes, in this browser only.
          </p>
        </div>
        ${mail === "outbox" && html`
          <p class="notice">
            Development: no mail is sent. <a href="/dev/outbox" target="_blank">Open the outbox</a> to read the code.
          </p>
        `}
        <button class="button primary block" type="submit">Check the code</button>
      </div>
      <p class="actions between">
        <button id="other-address" class="button link" type="button">Use another address</button>
        <button id="resend" class="button link" type="button">Send a new code</button>
      </p>
    </form>
  `;
}

/** The form that makes the first passkey. */
export function passkeyForm(): Html {
  return html`
    <form id="passkey-form" class="stack">
      <p>
        Now make a passkey: your device asks for your fingerprint, your face or its PIN, and
        keeps the passkey. Your first key is made together with it.
      </p>
      <button class="button primary block" type="submit" disabled>Make a passkey</button>
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

/** The last step of a browser that has proven its address, wherever it was loaded again. */
function passkeyStep({ provenEmail, onward = "" }: SignUpPageData): Html {
  const afresh = `/sign-up?${onward === "" ? "" : `${onward}&`}afresh=1`;
  return html`
    <div id="passkey-step" class="stack" ${provenEmail === undefined && html`hidden`}>
      <p>Your address is confirmed: <strong id="proven-email">${shown(provenEmail ?? "")}</strong>.</p>
      ${passkeyForm()}
      <p class="fine"><a href="${afresh}">Use another address</a></p>
    </div>
  `;
}

function emailWay(data: SignUpPageData): Html {
  return html`
    ${stepList(STEPS, data.provenEmail === undefined ? 1 : 3)} ${needsScript()} ${alertRegion(
      "alert",
    )} ${statusRegion(
      "status",
    )}
    ${emailStep(data)} ${codeStep(data)} ${passkeyStep(data)} ${accountExists()}
  `;
}

/** What the sign-up page needs to know. */
export interface SignUpPageData extends ProvidersData {
  /** Where a code goes: to the address, only to the development outbox, or nowhere: then other providers are all. */
  readonly mail: "sent" | "outbox" | "none";
  /** How often a code can be tried. */
  readonly tries: number;
  /** The address that this browser has proven already: what is left is the passkey. */
  readonly provenEmail?: string;
  /** The address that an invitation is for, null for anybody; undefined where it takes none. */
  readonly invited?: string | null;
  /** The authorization request that waits for an account. */
  readonly request?: string;
}

/**
 * Making an account in one page: address, code, passkey; or only the links to other providers, where nobody sends codes.
 */
export function signUpPage(data: SignUpPageData): Html {
  const { mail, request } = data;
  return layout({
    title: "Make an account",
    frame: data,
    width: "form",
    ...(mail !== "none" && { script: "sign-up.client.js" }),
    content: html`
      <div class="card">
        <h1>Make an account</h1>
        ${mail === "none" ? providerLinks({ ...data, isOnlyWay: true }) : emailWay(data)}
        <p class="fine">Have an account already? <a href="${withRequest("/sign-in", request)}">Sign in</a></p>
      </div>
    `,
  });
}
