import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { layout } from "../layout.ts";
import { shown } from "../parts.ts";
import type { FrameView } from "../view.ts";
import { de } from "../words/sign-in.de.ts";
import { en } from "../words/sign-in.en.ts";

/** Why somebody may make no account. */
export interface UninvitedPageData extends FrameView {
  /** `over`: their invitation was used, withdrawn or has expired. */
  readonly why: "closed" | "uninvited" | "over" | "other_address";
  /** Who said who they are, where it was another provider. */
  readonly provider?: string;
  /** The query that takes along what waits for the person. */
  readonly onward: string;
}

/** Tells somebody plainly that it takes an invitation; whoever has an account signs in as ever. */
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
