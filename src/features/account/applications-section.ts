import type { ApplicationView, KeyGrantView } from "../../api/application.ts";
import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import type { UsedLimit } from "../../policy/usage.ts";
import { shown, time } from "../../ui/parts.ts";
import { usedLimits } from "../../ui/section/used-limits.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

/** The rights to use keys, with what is used up of their limits. */
interface UsedKeyGrant extends KeyGrantView {
  readonly used: readonly UsedLimit[];
}

/** An application, and what it sees of the user, a sentence each. */
export interface SeenApplication extends ApplicationView {
  readonly sees: readonly string[];
  readonly keyGrants: readonly UsedKeyGrant[];
}

export interface ApplicationsData {
  readonly account: { readonly accountId: string };
  /** The latest first. */
  readonly applications: readonly SeenApplication[];
  /** Set if the session expired before a withdrawal: the user signed in again and has to repeat it. */
  readonly unfinished?: "withdrawal";
  readonly withdrawn?: string;
}

function keyGrantPart({ keys, policyWords, endsAt, used }: UsedKeyGrant, language: Language): Html {
  const messages = messagesIn(language, { en, de }).account.applications;
  return html`
    <p class="facts-line">
      <span>${policyWords === null ? messages.sees(keys.length) : messages.signsWith(keys.length)}</span>
      <span>${messages.until(time(endsAt, language))}</span>
    </p>
    ${policyWords !== null && html`
      <ul class="plain-list hint">${policyWords.map((line) => html`<li>${shown(line)}</li>`)}</ul>
    `}
    ${usedLimits(used)}
  `;
}

function applicationRow(
  { clientId, name, uri, sees, consentedAt, keyGrants }: SeenApplication,
  accountId: string,
  language: Language,
): Html {
  const messages = messagesIn(language, { en, de }).account.applications;
  return html`
    <li class="row">
      <div class="row-main">
        <h3 class="row-title">${shown(name)}</h3>
        <p class="facts-line">
          <span><a href="${uri}" rel="noreferrer">${shown(uri)}</a></span>
          <span>${messages.since} ${time(consentedAt, language)}</span>
        </p>
        <p class="fine">${messages.itSees}</p>
        <ul class="plain-list fine">${sees.map((line) => html`<li>${shown(line)}</li>`)}</ul>
        ${keyGrants.map((grant) => keyGrantPart(grant, language))}
      </div>
      <details class="row-actions confirm">
        <summary class="button small">${messages.withdraw}…<span class="visually-hidden"> ${messages.from(
          name,
        )}</span></summary>
        <form method="post" action="/account/withdraw">
          <input type="hidden" name="account" value="${accountId}">
          <input type="hidden" name="clientId" value="${clientId}">
          <p>${messages.means}</p>
          <button class="button small danger"
            type="submit">${messages.withdraw}<span class="visually-hidden"> ${messages.from(
              name,
            )}</span></button>
        </form>
      </details>
    </li>
  `;
}

/** Renders the connected applications, each with a withdraw button. Works without a script. */
export function applicationsSection(
  { account, applications, unfinished, withdrawn }: ApplicationsData,
  language: Language,
): Html {
  const messages = messagesIn(language, { en, de }).account.applications;
  return html`
    <section class="stack" aria-labelledby="applications">
      <div class="section-head">
        <h2 id="applications">${messages.title}</h2>
        <p class="hint">${messages.hint} <a href="/developer#stop">${messages.stop}</a></p>
      </div>
      ${unfinished === "withdrawal" && html`
        <p class="notice" role="status">${messages.unfinished}</p>
      `}
      ${withdrawn !== undefined && html`
        <p class="notice" role="status">${messages.withdrawn(shown(withdrawn))}</p>
      `}
      ${applications.length === 0 ? html`<p class="empty">${messages.none}</p>` : html`
        <ul class="rows">${applications.map((one) => applicationRow(one, account.accountId, language))}</ul>
      `}
    </section>
  `;
}
