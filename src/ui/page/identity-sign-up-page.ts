import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { layout } from "../layout.ts";
import { alertRegion, needsScript, shown, statusRegion } from "../parts.ts";
import type { FrameView } from "../view.ts";
import { passkeyForm, stepList } from "./sign-up-page.ts";

/** A new person, as another provider named them. */
export interface IdentitySignUpPageData extends FrameView {
  /** What people call the provider. */
  readonly provider: string;
  /** The address that the provider vouches for. */
  readonly email: string | null;
  readonly name: string | null;
  /** The query that takes along what waits for the person. */
  readonly onward: string;
}

function person({ provider, email, name }: IdentitySignUpPageData): Html {
  if (email !== null) {
    return html`<p>${provider} has confirmed that you are <strong>${shown(email)}</strong>.</p>`;
  }
  return html`
    <p>${provider} has confirmed who you are${name !== null &&
      html`: <strong>${shown(name)}</strong>`}.</p>
    <p class="notice">
      It vouches for no e-mail address, so your account will have none: nothing can be sent to you.
    </p>
  `;
}

/** The last step of making an account with another provider: the passkey, which alone will sign the person in. */
export function identitySignUpPage(data: IdentitySignUpPageData): Html {
  return layout({
    title: "Make an account",
    frame: data,
    width: "form",
    script: "identity-sign-up.client.js",
    content: html`
      <div class="card">
        <h1>Make an account</h1>
        ${stepList([data.provider, "Passkey"], 2)} ${needsScript()} ${alertRegion("alert")} ${statusRegion(
          "status",
        )}
        <div class="stack">${person(data)}</div>
        ${passkeyForm()}
        <p class="fine">
          From now on you sign in with the passkey. ${data.provider} alone never opens your account.
          <a href="/sign-up${data.onward !== "" && `?${data.onward}`}">Begin again in another way</a>
        </p>
      </div>
    `,
  });
}
