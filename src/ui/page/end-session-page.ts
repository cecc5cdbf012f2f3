import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { layout } from "../layout.ts";
import type { AccountView } from "../view.ts";
import { shown } from "../parts.ts";

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
  const asking = clientName === undefined ? html`An application` : shown(clientName);
  return layout({
    title: "Sign out?",
    account,
    width: "form",
    content: html`
      <div class="card">
        <h1>Sign out?</h1>
        <p>${asking} asks to sign ${shown(account.email)} out of Holdfast in this browser.</p>
        <form method="post" action="/end-session" class="stack">
          <input type="hidden" name="request" value="${request}">
          <p class="actions">
            <button class="button primary" type="submit" name="decision" value="sign_out">Sign out</button>
            <button class="button" type="submit" name="decision" value="stay">Stay signed in</button>
          </p>
        </form>
      </div>
    `,
  });
}
