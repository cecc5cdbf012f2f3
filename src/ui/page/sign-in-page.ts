import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { layout } from "../layout.ts";
import { alertRegion, needsScript, withRequest } from "../parts.ts";
import { providerLinks } from "../provider-links.ts";
import type { ProvidersData } from "../provider-links.ts";

/** What the sign-in page needs to know. */
export interface SignInPageData extends ProvidersData {
  /** The authorization request that waits. */
  readonly request?: string;
  /** What another provider has said: whose account this is, or that its address is somebody's here. */
  readonly told?: { readonly provider: string; readonly what: "account" | "address_taken" };
}

function introduction({ told }: SignInPageData): Html {
  if (told === undefined) return html`<p>Use the passkey that you made with your account.</p>`;
  const { provider, what } = told;
  if (what === "account") {
    return html`<p>${provider} has confirmed who you are. Now use the passkey of your account.</p>`;
  }
  return html`
    <p class="notice">
      Your e-mail address at ${provider} belongs to an account here already. The two are not joined: sign in with the
      passkey of that account.
    </p>
  `;
}

function otherWay({ told, request, onward = "" }: SignInPageData): Html {
  if (told?.what === "account") {
    const path = onward === "" ? "/sign-in" : `/sign-in?${onward}`;
    return html`<p class="fine">Not your account? <a href="${path}">Sign in in another way</a></p>`;
  }
  return html`<p class="fine">No account yet? <a href="${
    withRequest("/sign-up", request)
  }">Make an account</a></p>`;
}

/**
 * Signing in with a passkey. Where to go afterwards is the query's `next`, or the authorization `request` that waits
 * for it; the script reads and checks both. The field serves the browser's own suggestions (WebAuthn Level 3 section
 * 5.1.4, conditional mediation) and is shown only where the browser has them; what is typed there is not sent.
 */
export function signInPage(data: SignInPageData = {}): Html {
  const { told } = data;
  return layout({
    title: "Sign in",
    ...(data.tee !== undefined && { tee: data.tee }),
    width: "form",
    script: "sign-in.client.js",
    content: html`
      <div class="card">
        <h1>Sign in</h1>
        ${introduction(data)}
        ${needsScript()}
        ${alertRegion("alert")}
        <form id="sign-in-form" class="stack">
          <button id="sign-in-button" class="button primary block" type="submit" disabled>Sign in with a passkey</button>
          <div id="autofill" class="field" hidden>
            <label for="email">Or pick a passkey that your browser suggests</label>
            <input id="email" type="text" inputmode="email" autocomplete="username webauthn" autocapitalize="none"
              spellcheck="false" maxlength="254" placeholder="E-mail address">
          </div>
        </form>
        ${told === undefined && providerLinks(data)}
        ${otherWay(data)}
      </div>
    `,
  });
}
