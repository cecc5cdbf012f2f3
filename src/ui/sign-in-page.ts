import { html } from "../lib/html.ts";
import type { Html } from "../lib/html.ts";
import { layout } from "./layout.ts";
import { alertRegion, needsScript, withRequest } from "./parts.ts";

/**
 * Signing in with a passkey. Where to go afterwards is the query's `next`, or the authorization `request` that waits for
 * it; the script reads and checks both. The
 * field serves the browser's own suggestions (WebAuthn Level 3 section 5.1.4, conditional mediation) and is shown only
 * where the browser has them; what is typed there is not sent.
 */
export function signInPage({ request }: { readonly request?: string } = {}): Html {
  return layout({
    title: "Sign in",
    width: "form",
    script: "sign-in.client.js",
    content: html`
      <div class="card">
        <h1>Sign in</h1>
        <p>Use the passkey that you made with your account.</p>
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
        <p class="fine">No account yet? <a href="${withRequest("/sign-up", request)}">Make an account</a></p>
      </div>
    `,
  });
}
