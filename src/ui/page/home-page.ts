import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { layout } from "../layout.ts";
import type { FrameView } from "../view.ts";

/** What this is, for whoever is not signed in. */
export function homePage(frame: FrameView): Html {
  return layout({
    frame,
    title: "Ethereum keys you can hold on to",
    content: html`
      <div class="hero">
        <h1>Ethereum keys you can hold on to</h1>
        <p class="lead">
          Holdfast makes Ethereum keys for you and keeps them on this server, inside its vault. You sign in with a
          passkey: there is no password and no seed phrase to lose. Before a key signs anything, you are shown what
          the signature will mean.
        </p>
        <p class="actions">
          <a class="button primary" href="/sign-up">Make an account</a>
          <a class="button" href="/sign-in">Sign in</a>
        </p>
      </div>
    `,
  });
}
