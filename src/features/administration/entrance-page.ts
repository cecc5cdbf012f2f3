import { type Html, html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { ADMIN_SCRIPT } from "../../ui/assets.ts";
import { type FrameView, layout } from "../../ui/layout.ts";
import { alertRegion, shown, statusRegion } from "../../ui/parts.ts";
import { adminField } from "../../ui/section/admin-frame.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

export interface AdminEnterData {
  readonly frame: FrameView;
  readonly next: string;
  readonly isWrong: boolean;
  /** The signed-in account, if it may enter. `stale` if it has to use its passkey again first. */
  readonly named?: { readonly name: string; readonly sign: "fresh" | "stale" };
}

function passkeySection({ frame, next, named }: AdminEnterData): Html | undefined {
  if (named === undefined) return undefined;
  const messages = messagesIn(frame.language, { en, de }).enter;
  return html`
    <form id="passkey-entrance" class="stack" method="post" action="/admin/enter/passkey"
      data-sign="${named.sign}">
      <p>${messages.named(shown(named.name))}</p>
      <input type="hidden" name="next" value="${next}">
      <button class="button primary block" type="submit">${messages.passkey}</button>
    </form>
  `;
}

/** Renders the entrance: by the admin key, or by the passkey of an account listed in `ADMIN_ACCOUNTS`. */
export function adminEnterPage(data: AdminEnterData): Html {
  const { frame, next, isWrong, named } = data;
  const messages = messagesIn(frame.language, { en, de }).enter;
  const signIn = `/sign-in?${new URLSearchParams({ next: "/admin/enter" })}`;
  return layout({
    title: messages.title,
    frame,
    width: "form",
    script: ADMIN_SCRIPT,
    content: html`
      <div class="card">
        <h1>${messages.title}</h1>
        <p>${messages.hint}</p>
        ${alertRegion("alert")} ${statusRegion("status")} ${passkeySection(data)}
        <form class="stack" method="post" action="/admin/enter">
          ${adminField({
            name: "key",
            label: messages.key,
            value: "",
            type: "password",
            hint: messages.keyHint,
            fault: isWrong ? messages.wrong : undefined,
            more: html`required maxlength="512"`,
          })}
          <input type="hidden" name="next" value="${next}">
          <button class="button${named === undefined && " primary"} block" type="submit">${messages
            .submit}</button>
        </form>
        ${named === undefined && html`<p class="fine"><a href="${signIn}">${messages.signIn}</a></p>`}
      </div>
    `,
  });
}
