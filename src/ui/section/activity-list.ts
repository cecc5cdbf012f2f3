import { type AuditEventName, EVENTS } from "../../audit/event.ts";
import type { EventRow } from "../../audit/event-row.ts";
import { type Html, html, type HtmlValue } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { de } from "../messages.de.ts";
import { en } from "../messages.en.ts";
import { day, shown, time } from "../parts.ts";

/** An event on a page. The API's shape of an event fits. */
export interface AuditEventView {
  readonly seq: number;
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly event: string;
  readonly subject: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Events, with the names of the keys, applications and tokens in them by id. */
export interface ActivityView {
  /** Newest first. */
  readonly events: readonly AuditEventView[];
  readonly names: ReadonlyMap<string, string>;
}

type Names = ActivityView["names"];

/** Renders an id as its name; a key's name links to its page. Returns undefined if the id has no name. */
function named(id: string, names: Names): Html | undefined {
  const name = names.get(id);
  if (name === undefined) return undefined;
  const strong = html`<strong>${shown(name)}</strong>`;
  return id.startsWith("key_") ? html`<a class="plain-link" href="/keys/${id}">${strong}</a>` : strong;
}

/** Renders the subject of the sentence: the event's subject, or the client in its details. */
function itOf({ subject, detail }: AuditEventView, names: Names): Html | undefined {
  const { clientId } = detail;
  return (subject === null ? undefined : named(subject, names)) ??
    (typeof clientId === "string" ? named(clientId, names) : undefined);
}

function detailRows({ seq, event, subject, detail }: AuditEventView, language: Language): Html {
  const messages = messagesIn(language, { en, de }).activity;
  const rows = [
    [messages.entry, `${seq}`],
    [messages.event, event],
    ...(subject === null ? [] : [[messages.subject, subject]]),
    ...Object.entries(detail).map((
      [name, value],
    ) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  ];
  return html`
    <dl class="facts event-facts">
      ${rows.map(([name, value]) =>
        html`
          <div>
            <dt>${name}</dt>
            <dd><code>${value}</code></dd>
          </div>
        `
      )}
    </dl>
  `;
}

/** Renders an event: the sentence, the requester, and all recorded details in a disclosure. */
function eventItem(event: AuditEventView, names: Names, language: Language): Html {
  const { by: holder, client, approvedBy } = event.detail;
  const messages = messagesIn(language, { en, de }).activity;
  // Prefers the application's name to the id of its grant.
  const by = client ?? holder;
  return html`
    <li class="audit-event">
      <p>${eventText(event.event, event.detail, itOf(event, names), language)}</p>
      <details class="event-details">
        <summary>${time(event.at, language)}${typeof by === "string" && html`
          · ${messages.askedForBy} ${named(by, names) ?? html`<code>${by}</code>`}
        `}${approvedBy !== undefined &&
          ` · ${messages.approved}`}<span class="visually-hidden">, ${messages.details}</span></summary>
        ${detailRows(event, language)}
      </details>
    </li>
  `;
}

export function activityList({ events, names }: ActivityView, language: Language): Html {
  return html`<ol class="audit-list">${events.map((event) => eventItem(event, names, language))}</ol>`;
}

/** Renders events by UTC day; the page's script regroups them in local time. `now` is ISO 8601. */
export function activityDays({ events, names }: ActivityView, now: string, language: Language): Html {
  const days = Map.groupBy(events, ({ at }) => at.slice(0, 10));
  return html`
    <div id="activity-days" class="stack">
      ${[...days].map(([date, events]) =>
        html`
          <section class="activity-day">
            <h2>${day(date, now, language)}</h2>
            ${activityList({ events, names }, language)}
          </section>
        `
      )}
    </div>
  `;
}

/** Returns the row of an event; undefined for an event of another version. */
function findRow(event: string): EventRow<unknown> | undefined {
  return Object.hasOwn(EVENTS, event) ? EVENTS[event as AuditEventName] as EventRow<unknown> : undefined;
}

/**
 * Returns an event's sentence, with the name `it` of its subject; undefined if it has no name. `detail` must be what
 * was recorded for that event. An unknown event of another version is shown by its event name.
 */
function eventText(
  event: string,
  detail: Readonly<Record<string, unknown>>,
  it: Html | undefined,
  language: Language,
): HtmlValue {
  const row = findRow(event);
  const sentence = row?.[language] ?? event;
  const text = typeof sentence === "string" ? sentence : sentence(detail);
  if (it === undefined) return text;
  const named = row?.named?.[language];
  if (named !== undefined) return named(it, detail);
  const { unnamed } = messagesIn(language, { en, de }).activity;
  const beginning = unnamed.find((start) => text.startsWith(`${start} `));
  return beginning === undefined ? text : html`${it}${text.slice(beginning.length)}`;
}
