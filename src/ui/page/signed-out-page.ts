import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { layout } from "../layout.ts";
import type { FrameView } from "../view.ts";
import { de } from "../words/sign-in.de.ts";
import { en } from "../words/sign-in.en.ts";

/** Shown after signing out. */
export function signedOutPage(frame: FrameView): Html {
  const words = messagesIn(frame.language, { en, de }).signedOut;
  return layout({
    frame,
    title: words.title,
    width: "form",
    content: html`
      <div class="card">
        <h1>${words.heading}</h1>
        <p>${words.gone}</p>
        <p class="actions">
          <a class="button primary" href="/sign-in">${words.signInAgain}</a>
          <a class="button" href="/">${words.home}</a>
        </p>
      </div>
    `,
  });
}
