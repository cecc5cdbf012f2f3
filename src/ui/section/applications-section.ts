import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { shown, time } from "../parts.ts";
import type { ApplicationView, KeyGrantView } from "../view.ts";

/** What the list of applications shows. */
export interface ApplicationsData {
  /** The latest first. */
  readonly applications: readonly ApplicationView[];
  /** What each of them sees, one line each. */
  readonly shared: readonly string[];
  /** What the person asked for when their session had ended. */
  readonly unfinished?: "withdrawal";
  /** What the application is called that has just lost its access. */
  readonly withdrawn?: string;
}

/** What an application may do with keys, by one of its grants. */
function keyGrantPart({ keys, policyWords, endsAt }: KeyGrantView): Html {
  const which = keys.length === 1 ? "one of your keys" : `${keys.length} of your keys`;
  return html`
    <p class="facts-line">
      <span>${policyWords === null ? "Sees" : "Signs with"} ${which}</span>
      <span>Until ${time(endsAt)} at the latest</span>
    </p>
    ${policyWords !== null && html`
      <ul class="plain-list hint">${policyWords.map((words) => html`<li>${shown(words)}</li>`)}</ul>
    `}
  `;
}

function applicationRow({ clientId, name, uri, consentedAt, keyGrants }: ApplicationView): Html {
  return html`
    <li class="row">
      <div class="row-main">
        <h3 class="row-title">${shown(name)}</h3>
        <p class="facts-line">
          <span><a href="${uri}" rel="noreferrer">${shown(uri)}</a></span>
          <span>Since ${time(consentedAt)}</span>
        </p>
        ${keyGrants.map(keyGrantPart)}
      </div>
      <details class="row-actions confirm">
        <summary class="button small">Withdraw…<span class="visually-hidden"> from ${name}</span></summary>
        <form method="post" action="/account/withdraw">
          <input type="hidden" name="clientId" value="${clientId}">
          <p>It loses its access at once, and has to ask you again.</p>
          <button class="button small danger"
            type="submit">Withdraw<span class="visually-hidden"> from ${name}</span></button>
        </form>
      </details>
    </li>
  `;
}

/** The applications that an account has let in, each with a button that ends it; works without a script. */
export function applicationsSection({ applications, shared, unfinished, withdrawn }: ApplicationsData): Html {
  return html`
    <section class="stack" aria-labelledby="applications">
      <div class="section-head">
        <h2 id="applications">Applications</h2>
        <p class="hint">They can do nothing with your keys that does not stand here. What is withdrawn ends at once.</p>
      </div>
      ${unfinished === "withdrawal" && html`
        <p class="notice" role="status">Your session had ended, so nothing was withdrawn. Withdraw here once more.</p>
      `}
      ${withdrawn !== undefined && html`
        <p class="notice" role="status">“${shown(withdrawn)}” has no access any more.</p>
      `}
      ${applications.length === 0 ? html`<p class="empty">You have let in no application.</p>` : html`
        <ul class="rows">${applications.map(applicationRow)}</ul>
        <div class="fine">
          <p>Each of them sees:</p>
          <ul class="plain-list">${shared.map((line) => html`<li>${shown(line)}</li>`)}</ul>
        </div>
      `}
    </section>
  `;
}
