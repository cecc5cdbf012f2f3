import { type Html, html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { defineScript, type Script } from "../../ui/assets.ts";
import * as firstPasskeyScript from "./first-passkey.client.js" with { type: "text" };
import * as identitySignUpScript from "./identity-sign-up.client.js" with { type: "text" };
import { type FrameView, layout } from "../../ui/layout.ts";
import { alertRegion, needsScript, shown, statusRegion } from "../../ui/parts.ts";
import { passkeyForm, stepList } from "./sign-up-page.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

export const IDENTITY_SIGN_UP_SCRIPT: Script = defineScript("identity-sign-up.client.js", {
  "first-passkey.client.js": firstPasskeyScript,
  "identity-sign-up.client.js": identitySignUpScript,
});

export interface IdentitySignUpPageData extends FrameView {
  readonly provider: string;
  /** The address that the provider has verified. */
  readonly email: string | null;
  readonly name: string | null;
  /** The user handle of the account that will be created, in base64url. */
  readonly user: string;
  readonly returnTo: string;
}

function person(
  { provider, email, name }: IdentitySignUpPageData,
  messages: typeof en.signUp.identity,
): Html {
  if (email !== null) {
    return html`<p>${messages.confirmedAs(provider, html`<strong>${shown(email)}</strong>`)}</p>`;
  }
  return html`
    <p>${messages.confirmed(provider, name === null ? undefined : html`<strong>${shown(name)}</strong>`)}</p>
    <p class="notice">${messages.noAddress}</p>
  `;
}

/** Renders the last step of a sign-up with a provider: the passkey, which alone will sign the user in. */
export function identitySignUpPage(data: IdentitySignUpPageData): Html {
  const { language, provider, user } = data;
  const messages = messagesIn(language, { en, de }).signUp;
  return layout({
    title: messages.title,
    frame: data,
    width: "form",
    script: IDENTITY_SIGN_UP_SCRIPT,
    content: html`
      <div class="card">
        <h1>${messages.title}</h1>
        ${stepList([provider, messages.passkey], 2, messages)} ${needsScript(language)} ${alertRegion(
          "alert",
        )} ${statusRegion("status")}
        <div class="stack">${person(data, messages.identity)}</div>
        ${passkeyForm(messages, user)}
        <p class="fine">
          ${messages.identity.fromNowOn(provider)}
          <a href="/sign-up${data.returnTo !== "" && `?${data.returnTo}`}">${messages.identity
            .alternative}</a>
        </p>
      </div>
    `,
  });
}
