import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { layout } from "../layout.ts";
import type { FrameView } from "../view.ts";

/** Shown after signing out. */
export function signedOutPage(frame: FrameView): Html {
  return layout({
    frame,
    title: "Signed out",
    width: "form",
    content: html`
      <div class="card">
        <h1>You are signed out</h1>
        <p>The session is gone on the server too. Your keys stay where they are.</p>
        <p class="actions">
          <a class="button primary" href="/sign-in">Sign in again</a>
          <a class="button" href="/">Home</a>
        </p>
      </div>
    `,
  });
}
