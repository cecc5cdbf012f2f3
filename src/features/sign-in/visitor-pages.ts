import { type Html, html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { PRODUCT } from "../../ui/brand.ts";
import { type FrameView, layout } from "../../ui/layout.ts";
import { shown } from "../../ui/parts.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

export function homePage(frame: FrameView): Html {
  const messages = messagesIn(frame.language, { en, de }).home;
  return layout({
    frame,
    title: messages.title,
    content: html`
      <div class="hero">
        <h1>${messages.title}</h1>
        <p class="lead">
          ${messages.lead((frame.brand ?? PRODUCT).name)}
        </p>
        <p class="actions">
          <a class="button primary" href="/sign-up">${messages.makeAccount}</a>
          <a class="button" href="/sign-in">${messages.signIn}</a>
        </p>
      </div>
    `,
  });
}

export function signedOutPage(frame: FrameView): Html {
  const messages = messagesIn(frame.language, { en, de }).signedOut;
  return layout({
    frame,
    title: messages.title,
    width: "form",
    content: html`
      <div class="card">
        <h1>${messages.heading}</h1>
        <p>${messages.gone}</p>
        <p class="actions">
          <a class="button primary" href="/sign-in">${messages.signInAgain}</a>
          <a class="button" href="/">${messages.home}</a>
        </p>
      </div>
    `,
  });
}

export interface UninvitedPageData extends FrameView {
  /** `over`: the invitation was used, withdrawn or has expired. */
  readonly why: "closed" | "uninvited" | "over" | "other_address";
  readonly provider?: string;
  readonly returnTo: string;
}

/** Renders why the visitor cannot create an account, with a link to sign in. */
export function uninvitedPage({ why, provider, returnTo, ...frame }: UninvitedPageData): Html {
  const messages = messagesIn(frame.language, { en, de }).uninvited;
  return layout({
    title: messages.titles[why],
    frame,
    width: "form",
    content: html`
      <div class="card">
        <h1>${messages.titles[why]}</h1>
        ${provider !== undefined && html`<p>${messages.identified(shown(provider))}</p>`}
        <p>${messages.reasons[why]}</p>
        <p class="actions"><a class="button primary block" href="/sign-in${returnTo !== "" &&
          `?${returnTo}`}">${messages.signIn}</a></p>
        <p class="fine">${messages.signInHint}</p>
      </div>
    `,
  });
}
