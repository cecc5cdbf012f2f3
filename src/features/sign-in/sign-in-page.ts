import { type Html, html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { defineScript, type Script } from "../../ui/assets.ts";
import * as signInApiScript from "./sign-in-api.client.js" with { type: "text" };
import * as signInScript from "./sign-in.client.js" with { type: "text" };
import { layout } from "../../ui/layout.ts";
import { alertRegion, needsScript, withQuery } from "../../ui/parts.ts";
import { providerLinks, type ProvidersData } from "./provider-links.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

export const SIGN_IN_SCRIPT: Script = defineScript("sign-in.client.js", {
  "sign-in-api.client.js": signInApiScript,
  "sign-in.client.js": signInScript,
}, { en, de });

export interface SignInPageData extends ProvidersData {
  /** The time for which a user stays signed in, in hours; 30 days by default. */
  readonly sessionHours?: number;
  /** The query between sign-up and sign-in, if it differs from `returnTo` because the user wants another account. */
  readonly otherAccountQuery?: string;
  /** The result of another provider: it identified an account, or its address belongs to an account here. */
  readonly notice?: { readonly provider: string; readonly what: "account" | "address_taken" };
}

function introduction({ notice }: SignInPageData, messages: typeof en.signIn): Html {
  if (notice === undefined) return html`<p>${messages.introduction}</p>`;
  const { provider, what } = notice;
  return what === "account"
    ? html`<p>${messages.confirmed(provider)}</p>`
    : html`<p class="notice">${messages.addressTaken(provider)}</p>`;
}

function alternative(
  { notice, returnTo = "", otherAccountQuery = returnTo }: SignInPageData,
  messages: typeof en.signIn,
): Html {
  if (notice?.what === "account") {
    const path = withQuery("/sign-in", returnTo);
    return html`<p class="fine">${messages.notYours} <a href="${path}">${messages.otherMethod}</a></p>`;
  }
  return html`<p class="fine">${messages.noAccount} <a href="${
    withQuery("/sign-up", otherAccountQuery)
  }">${messages.makeAccount}</a></p>`;
}

/**
 * Renders the sign-in. The script reads and checks where to go afterwards: the query's `next`, or its pending
 * authorization `request`. The field is for the browser's passkey suggestions (WebAuthn Level 3 section
 * 5.1.4, conditional mediation) and is shown only if the browser has them. Its text is not sent.
 */
export function signInPage(data: SignInPageData): Html {
  const { notice, language } = data;
  const messages = messagesIn(language, { en, de }).signIn;
  return layout({
    title: messages.title,
    frame: data,
    width: "form",
    script: SIGN_IN_SCRIPT,
    content: html`
      <div class="card">
        <h1>${messages.title}</h1>
        ${introduction(data, messages)}
        ${needsScript(language)}
        ${alertRegion("alert")}
        <form id="sign-in-form" class="stack">
          <button id="sign-in-button" class="button primary block" type="submit" disabled>${messages
            .button}</button>
          <div id="autofill" class="field" hidden>
            <label for="email">${messages.suggestions}</label>
            <input id="email" type="text" inputmode="email" autocomplete="username webauthn" autocapitalize="none"
              spellcheck="false" maxlength="254" placeholder="${messages.emailAddress}">
          </div>
          <div class="choices">
            <label class="choice"><input type="checkbox" id="shared" autocomplete="off"> <span>${messages
              .shared}</span></label>
            <p class="hint">${messages.stays(data.sessionHours ?? 720)}</p>
          </div>
        </form>
        ${notice === undefined && providerLinks(data)}
        <p class="fine"><a href="/recover">${messages.lostPasskey}</a></p>
        ${alternative(data, messages)}
      </div>
    `,
  });
}
