import { type Html, html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { type FrameView, layout } from "../../ui/layout.ts";
import { shown } from "../../ui/parts.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

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

export interface UninvitedPageData extends FrameView {
  /** `over`: the invitation was used, withdrawn or has expired. */
  readonly why: "closed" | "uninvited" | "over" | "other_address";
  readonly provider?: string;
  readonly onward: string;
}

/** Renders why the visitor cannot create an account, with a link to sign in. */
export function uninvitedPage({ why, provider, onward, ...frame }: UninvitedPageData): Html {
  const words = messagesIn(frame.language, { en, de }).uninvited;
  return layout({
    title: words.titles[why],
    frame,
    width: "form",
    content: html`
      <div class="card">
        <h1>${words.titles[why]}</h1>
        ${provider !== undefined && html`<p>${words.identified(shown(provider))}</p>`}
        <p>${words.reasons[why]}</p>
        <p class="actions"><a class="button primary block" href="/sign-in${onward !== "" &&
          `?${onward}`}">${words.signIn}</a></p>
        <p class="fine">${words.signInHint}</p>
      </div>
    `,
  });
}
