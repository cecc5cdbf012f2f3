import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { alertRegion, shown, statusRegion, time } from "../../ui/parts.ts";
import type { PasskeyView } from "../../api/passkey.ts";
import type { SessionView } from "../../api/session.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

type SessionMessages = typeof en.account.sessions;

function endButton({ id, device }: SessionView, messages: SessionMessages): Html {
  return html`
    <p class="row-actions">
      <button id="end-${id}" class="button small" type="button" data-act="end" data-session-id="${id}"
        data-device="${device}" aria-describedby="facts-${id}"
        disabled>${messages.end}<span class="visually-hidden"> ${messages.theSessionOf(
          device,
        )}</span></button>
    </p>
  `;
}

function sessionRow(
  session: SessionView,
  passkeyName: string | undefined,
  language: Language,
): Html {
  const messages = messagesIn(language, { en, de }).account.sessions;
  const { id, device, network, createdAt, lastSeenAt, current } = session;
  return html`
    <li class="row">
      <div class="row-main">
        <h3 class="row-title">${shown(device)}
          ${current && html`<span class="badge current">${messages.current}</span>`}</h3>
        <p id="facts-${id}" class="facts-line">
          <span>${messages.from} ${shown(network)}</span>
          ${passkeyName !== undefined && html`<span>${messages.with} ${shown(passkeyName)}</span>`}
          <span>${messages.since} ${time(createdAt, language)}</span>
          <span>${messages.lastSeen} ${time(lastSeenAt, language)}</span>
        </p>
      </div>
      ${!current && endButton(session, messages)}
    </li>
  `;
}

function everywhereDialog(messages: SessionMessages): Html {
  return html`
    <dialog id="everywhere-dialog" aria-labelledby="everywhere-title">
      <form id="everywhere-form" class="stack">
        <h2 id="everywhere-title">${messages.everywhereTitle}</h2>
        <p>${messages.everywhereMeans}</p>
        ${alertRegion("everywhere-alert")}
        <p class="actions">
          <button class="button danger" type="submit" disabled>${messages.signOutEverywhere}</button>
          <button class="button" type="button" data-act="close" autofocus disabled>${messages.cancel}</button>
        </p>
      </form>
    </dialog>
  `;
}

export interface SessionsData {
  /** The last used first. */
  readonly sessions: readonly SessionView[];
  readonly passkeys: readonly PasskeyView[];
}

/** Renders the sessions of an account. The script replaces the children of `session-list` after each act. */
export function sessionsSection({ sessions, passkeys }: SessionsData, language: Language): Html {
  const messages = messagesIn(language, { en, de }).account.sessions;
  const names = new Map(passkeys.map(({ id, name }) => [id, name]));
  return html`
    <section class="stack" aria-labelledby="sessions">
      <div class="section-head">
        <h2 id="sessions">${messages.title}</h2>
        <p class="hint">${messages.hint}</p>
      </div>
      ${alertRegion("sessions-alert")} ${statusRegion("sessions-status")}
      <div id="session-list" class="stack">
        <ul class="rows">${sessions.map((session) =>
          sessionRow(session, names.get(session.passkeyId), language)
        )}</ul>
        <p class="actions">
          ${sessions.length > 1 && html`
            <button id="end-others" class="button" type="button" data-act="end-others"
              disabled>${messages.endOthers}</button>
          `}
          <button id="sign-out-everywhere" class="button" type="button" data-act="everywhere"
            aria-haspopup="dialog" disabled>${messages.everywhere}</button>
        </p>
      </div>
      ${everywhereDialog(messages)}
    </section>
  `;
}
