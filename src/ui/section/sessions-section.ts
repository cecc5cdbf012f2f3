import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { alertRegion, shown, statusRegion, time } from "../parts.ts";
import type { PasskeyView, SessionView } from "../view.ts";

function endButton({ id, device }: SessionView): Html {
  return html`
    <p class="row-actions">
      <button id="end-${id}" class="button small" type="button" data-act="end" data-session-id="${id}"
        data-device="${device}" aria-describedby="facts-${id}"
        disabled>End<span class="visually-hidden"> the session of ${device}</span></button>
    </p>
  `;
}

function sessionRow(session: SessionView, passkeyName: string | undefined): Html {
  const { id, device, network, createdAt, lastSeenAt, current } = session;
  return html`
    <li class="row">
      <div class="row-main">
        <h3 class="row-title">${shown(device)}
          ${current && html`<span class="badge current">This session</span>`}</h3>
        <p id="facts-${id}" class="facts-line">
          <span>From ${shown(network)}</span>
          ${passkeyName !== undefined && html`<span>With ${shown(passkeyName)}</span>`}
          <span>Since ${time(createdAt)}</span>
          <span>Last seen ${time(lastSeenAt)}</span>
        </p>
      </div>
      ${!current && endButton(session)}
    </li>
  `;
}

function everywhereDialog(): Html {
  return html`
    <dialog id="everywhere-dialog" aria-labelledby="everywhere-title">
      <form id="everywhere-form" class="stack">
        <h2 id="everywhere-title">Sign out everywhere?</h2>
        <p>Every session ends, this one too. Applications that you let in keep their access until you withdraw it.</p>
        ${alertRegion("everywhere-alert")}
        <p class="actions">
          <button class="button danger" type="submit" disabled>Sign out everywhere</button>
          <button class="button" type="button" data-act="close" autofocus disabled>Cancel</button>
        </p>
      </form>
    </dialog>
  `;
}

/** What the list of sessions shows. */
export interface SessionsData {
  /** The one used last first. */
  readonly sessions: readonly SessionView[];
  readonly passkeys: readonly PasskeyView[];
}

/** Where an account is signed in. The script replaces the children of `session-list` after each act. */
export function sessionsSection({ sessions, passkeys }: SessionsData): Html {
  const names = new Map(passkeys.map(({ id, name }) => [id, name]));
  return html`
    <section class="stack" aria-labelledby="sessions">
      <div class="section-head">
        <h2 id="sessions">Sessions</h2>
        <p class="hint">Where you are signed in. End whatever you do not know, then look at your passkeys. The device is
          what the browser said it is.</p>
      </div>
      ${alertRegion("sessions-alert")} ${statusRegion("sessions-status")}
      <div id="session-list" class="stack">
        <ul class="rows">${sessions.map((session) => sessionRow(session, names.get(session.passkeyId)))}</ul>
        <p class="actions">
          ${sessions.length > 1 && html`
            <button id="end-others" class="button" type="button" data-act="end-others"
              disabled>End all other sessions</button>
          `}
          <button id="sign-out-everywhere" class="button" type="button" data-act="everywhere"
            aria-haspopup="dialog" disabled>Sign out everywhere…</button>
        </p>
      </div>
      ${everywhereDialog()}
    </section>
  `;
}
