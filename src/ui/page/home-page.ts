import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { layout } from "../layout.ts";
import type { FrameView } from "../view.ts";
import { de } from "../words/sign-in.de.ts";
import { en } from "../words/sign-in.en.ts";

/** What this is, for whoever is not signed in. */
export function homePage(frame: FrameView): Html {
  const words = messagesIn(frame.language, { en, de }).home;
  return layout({
    frame,
    title: words.title,
    content: html`
      <div class="hero">
        <h1>${words.title}</h1>
        <p class="lead">
          ${words.lead}
        </p>
        <p class="actions">
          <a class="button primary" href="/sign-up">${words.makeAccount}</a>
          <a class="button" href="/sign-in">${words.signIn}</a>
        </p>
      </div>
    `,
  });
}
