import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { layout } from "../layout.ts";
import type { FrameView } from "../view.ts";
import { de } from "../words/settings.de.ts";
import { en } from "../words/settings.en.ts";

/**
 * Where the link of an old address leads: a scanner that follows it changes nothing, the button does. Says neither whose
 * account it is nor which address it has now.
 */
export function takeBackPage(frame: FrameView, token: string): Html {
  const words = messagesIn(frame.language, { en, de }).takeBack;
  return layout({
    title: words.title,
    frame,
    width: "form",
    content: html`
      <div class="card">
        <h1>${words.title}</h1>
        <p>${words.asks}</p>
        <p>${words.does}</p>
        <form method="post" action="/take-back" class="stack">
          <input type="hidden" name="token" value="${token}">
          <p class="actions"><button class="button danger" type="submit">${words.button}</button></p>
        </form>
        <p class="fine">${words.leave}</p>
      </div>
    `,
  });
}

/** Shown after that. */
export function takenBackPage(frame: FrameView): Html {
  const words = messagesIn(frame.language, { en, de }).takeBack;
  return layout({
    title: words.doneTitle,
    frame,
    width: "form",
    content: html`
      <div class="card">
        <h1>${words.doneTitle}</h1>
        <p>${words.done}</p>
        <p class="actions"><a class="button primary" href="/sign-in?next=%2Faccount">${words.signIn}</a></p>
      </div>
    `,
  });
}
