import { html } from "../lib/html.ts";
import type { Html } from "../lib/html.ts";
import { layout } from "./layout.ts";
import { time } from "./parts.ts";
import type { AccountView } from "./view.ts";

/** An application that a person has let in. */
export interface ApplicationView {
  readonly clientId: string;
  readonly name: string;
  readonly uri: string;
  /** ISO 8601 in UTC. */
  readonly consentedAt: string;
}

/** What the account page shows. */
export interface AccountPageData {
  readonly account: AccountView;
  readonly applications: readonly ApplicationView[];
}

function applicationItem({ clientId, name, uri, consentedAt }: ApplicationView): Html {
  return html`
    <li class="card">
      <h3><bdi>${name}</bdi></h3>
      <p class="fine"><a href="${uri}" rel="noreferrer"><bdi>${uri}</bdi></a>, since ${time(consentedAt)}</p>
      <form method="post" action="/account/withdraw">
        <input type="hidden" name="clientId" value="${clientId}">
        <button class="button"
          type="submit">Withdraw<span class="visually-hidden"> from ${name}</span></button>
      </form>
    </li>
  `;
}

/** Whose account this is, and the applications that were let in, each with a button that ends it. */
export function accountPage({ account, applications }: AccountPageData): Html {
  return layout({
    title: "Account",
    account,
    content: html`
      <div class="stack-wide">
        <div>
          <h1>Account</h1>
          <p class="lead"><bdi>${account.email}</bdi></p>
        </div>
        <section class="stack" aria-labelledby="applications">
          <h2 id="applications">Applications</h2>
          <p class="hint">They know who you are, and cannot use your keys. What is withdrawn ends at once.</p>
          ${applications.length === 0
            ? html`<p class="empty">You have let in no application.</p>`
            : html`<ul class="list">${applications.map(applicationItem)}</ul>`}
        </section>
        <p><a href="/account/audit">Activity: what happened in your account</a></p>
      </div>
    `,
  });
}
