import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { applicationsSection } from "../section/applications-section.ts";
import type { ApplicationsData } from "../section/applications-section.ts";
import { activityList } from "../section/activity-list.ts";
import type { ActivityView } from "../section/activity-list.ts";
import { layout } from "../layout.ts";
import { copyButton, shown, time } from "../parts.ts";
import { passkeysSection } from "../section/passkeys-section.ts";
import type { Notices } from "../section/passkeys-section.ts";
import { sessionsSection } from "../section/sessions-section.ts";
import type { SessionsData } from "../section/sessions-section.ts";
import type { AccountView } from "../view.ts";

/** Whose account it is. */
export interface PersonView {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
}

/** What the account page shows. */
export interface AccountPageData extends SessionsData, ApplicationsData {
  readonly account: AccountView;
  readonly person: PersonView;
  /** Whether the person hears of what was done to their account. */
  readonly notices: Notices;
  readonly activity: ActivityView & {
    /** How many of the newest are left out because they are not as the service wrote them. */
    readonly unproven: number;
  };
}

function personCard({ id, email, name, createdAt }: PersonView): Html {
  return html`
    <section class="card person" aria-label="You">
      <dl class="facts">
        ${name !== null && html`
          <div>
            <dt>Name</dt>
            <dd>${shown(name)}</dd>
          </div>
        `}
        <div>
          <dt>E-mail address</dt>
          <dd>${email === null ? "None" : shown(email)}</dd>
        </div>
        <div><dt>Account since</dt><dd>${time(createdAt)}</dd></div>
        <div class="fact-wide">
          <dt>Account id</dt>
          <dd class="copyable"><code id="account-id">${id}</code> ${copyButton(
            "account-id",
            "the account id",
          )}</dd>
        </div>
      </dl>
    </section>
  `;
}

function activitySection({ unproven, ...activity }: AccountPageData["activity"]): Html {
  return html`
    <section class="stack" aria-labelledby="activity">
      <div class="section-head">
        <h2 id="activity">Activity</h2>
        <p class="hint">The latest of what happened in your account. <a href="/account/audit">All activity</a></p>
      </div>
      <div id="activity-list" class="stack">
        ${unproven > 0 && html`
          <p
            class="notice danger">Some of the latest entries cannot be proven to be as the service wrote them. Somebody has changed the log: tell the operator.</p>
        `}
        ${activity.events.length === 0
          ? html`<p class="empty">No events to show.</p>`
          : activityList(activity)}
      </div>
    </section>
  `;
}

function contents(): Html {
  return html`
    <nav class="jumps" aria-label="On this page">
      <a href="#passkeys">Passkeys</a>
      <a href="#sessions">Sessions</a>
      <a href="#applications">Applications</a>
      <a href="#activity">Activity</a>
    </nav>
  `;
}

/**
 * Everything about somebody's own account on one page: passkeys, sessions, applications, the latest events. All of it
 * can be read without a script, and applications withdrawn; passkeys and sessions need the page's script.
 */
export function accountPage(data: AccountPageData): Html {
  const { account, person, passkeys, notices, activity } = data;
  return layout({
    title: "Account",
    account,
    place: "account",
    script: "account.client.js",
    content: html`
      <div class="stack-sections">
        <div class="stack">
          <h1>Account</h1>
          ${contents()}
          <noscript><p class="notice">Adding, renaming and deleting passkeys and ending sessions work through this page’s own scripts. Turn JavaScript on for them; reading, withdrawing from applications and signing out work without.</p></noscript>
          ${personCard(person)}
        </div>
        ${passkeysSection(passkeys, notices)}
        ${sessionsSection(data)}
        ${applicationsSection(data)}
        ${activitySection(activity)}
      </div>
    `,
  });
}
