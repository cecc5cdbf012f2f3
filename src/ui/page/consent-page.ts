import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { layout } from "../layout.ts";
import { keyRightsSection } from "../section/key-rights-section.ts";
import type { KeyRightsData } from "../section/key-rights-section.ts";
import type { AccountView } from "../view.ts";
import { shown } from "../parts.ts";

/** What a person is asked when an application wants to know who they are. */
export interface ConsentPageData {
  readonly account: AccountView;
  /** The pending authorization request. */
  readonly request: string;
  readonly client: { readonly name: string; readonly uri: string };
  /** Where the answer goes, as a person can judge it: a host, or an application's own scheme. */
  readonly redirectTarget: string;
  /** What the application gets to see, one line each. */
  readonly shared: readonly string[];
  /** What it asks of the person's keys; undefined where it asks for nothing. */
  readonly keyRights: KeyRightsData | undefined;
}

/** Whether the answer goes to a program here instead of to a host that somebody answers for. */
function isOnDevice(redirectTarget: string): boolean {
  return !redirectTarget.startsWith("https:");
}

/** Names the application, where the answer goes, what is shared and the account; approve, deny, switch account. */
export function consentPage(data: ConsentPageData): Html {
  const { account, request, client, redirectTarget, shared, keyRights } = data;
  return layout({
    title: `Sign in to ${client.name}`,
    account,
    width: "form",
    content: html`
      <div class="card">
        <h1>Sign in to ${shown(client.name)}?</h1>
        <p>${shown(client.name)} (<a href="${client.uri}" rel="noreferrer">${shown(
          client.uri,
        )}</a>) asks who you are${keyRights !== undefined && ", and to use your keys"}.</p>
        <dl class="facts">
          <div class="fact-wide">
            <dt>It will see</dt>
            <dd>
              <ul>${shared.map((line) => html`<li>${line}</li>`)}</ul>
            </dd>
          </div>
          <div class="fact-wide">
            <dt>Your account</dt>
            <dd>${shown(account.email)}</dd>
          </div>
          <div class="fact-wide">
            <dt>You go on to</dt>
            <dd><code>${redirectTarget}</code>${isOnDevice(redirectTarget) && " on this device"}</dd>
          </div>
        </dl>
        <p class="hint">${keyRights === undefined && "It cannot use your keys. "}You can take this back at any
          time on your account page.</p>
        <form method="post" action="/consent" class="stack">
          <input type="hidden" name="request" value="${request}">
          ${keyRights !== undefined && keyRightsSection(keyRights)}
          <p class="actions">
            <button class="button primary" type="submit" name="decision" value="approve">Allow</button>
            <button class="button" type="submit" name="decision" value="deny">Deny</button>
          </p>
        </form>
        <p class="fine"><a href="/sign-in?request=${request}&amp;account=other">Use another account</a></p>
      </div>
    `,
  });
}
