import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import { layout } from "../layout.ts";
import type { AccountView } from "../view.ts";
import { shown } from "../parts.ts";
import { de } from "../words/authorization.de.ts";
import { en } from "../words/authorization.en.ts";

/** What a person is asked when an application wants to sign them out here. */
export interface EndSessionPageData {
  readonly account: AccountView;
  /** The pending logout request. */
  readonly request: string;
  /** The application's name; undefined when it did not say which it is. */
  readonly clientName: string | undefined;
}

/** Asks before signing out: any page could have sent the browser here (OpenID Connect RP-Initiated Logout 1.0). */
export function endSessionPage({ account, request, clientName }: EndSessionPageData): Html {
  const words = messagesIn(account.language, { en, de }).consent.signOut;
  const asking = clientName === undefined ? words.anApplication : shown(clientName);
  return layout({
    title: words.title,
    account,
    width: "form",
    content: html`
      <div class="card">
        <h1>${words.title}</h1>
        <p>${words.asks(asking, shown(account.email))}</p>
        <form method="post" action="/end-session" class="stack">
          <input type="hidden" name="request" value="${request}">
          <p class="actions">
            <button class="button primary" type="submit" name="decision" value="sign_out">${words
              .signOut}</button>
            <button class="button" type="submit" name="decision" value="stay">${words.stay}</button>
          </p>
        </form>
      </div>
    `,
  });
}
