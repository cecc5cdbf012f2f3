import { type Html, html } from "../lib/html.ts";
import { type Language, messagesIn } from "../lib/language.ts";
import { formatDate, formatDateTime } from "../lib/date-time.ts";
import { readableParts } from "../lib/readable.js";
import type { Instant } from "../lib/time.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

/** Renders a time in UTC to the minute. `iso` is ISO 8601 in UTC. */
export function time(iso: string, language: Language): Html {
  return html`<time datetime="${iso}">${formatDateTime(language, readIso(iso))}</time>`;
}

/** Formats a date as `2026-01-31`. */
export function date(iso: string, language: Language): string {
  return formatDate(language, readIso(iso));
}

function readIso(iso: string): Instant {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) throw new RangeError("Cannot show time: not ISO 8601");
  return at;
}

/** Formats a date relative to `now` as today, yesterday or the date. Both are ISO 8601 in UTC. */
export function day(iso: string, now: string, language: Language): string {
  const ago = (Date.parse(now.slice(0, 10)) - Date.parse(iso.slice(0, 10))) / 86_400_000;
  const { today, yesterday } = messagesIn(language, { en, de }).parts;
  return [today, yesterday][ago] ?? date(iso, language);
}

/** Renders untrusted text: no invisible or imitating characters, and none that reorder the text around it. */
export function shown(text: string, id?: string): Html {
  const parts = readableParts(text).map(({ kind, text }) => {
    if (kind === "text") return html`${text}`;
    return kind === "isolated"
      ? html`<bdi dir="ltr">${text}</bdi>`
      : html`<span class="unseen">${text}</span>`;
  });
  return id === undefined ? html`<bdi>${parts}</bdi>` : html`<bdi id="${id}">${parts}</bdi>`;
}

/** Renders the region for a script's errors. Screen readers announce them at once; the keyboard reaches them. */
export function alertRegion(id: string): Html {
  return html`<div id="${id}" class="alert-region" role="alert" tabindex="-1"></div>`;
}

/** Renders the region for a script's status messages. Screen readers announce them when idle. */
export function statusRegion(id: string): Html {
  return html`<p id="${id}" class="status-region" role="status" tabindex="-1"></p>`;
}

/** Renders a button that copies the text of the element `target`. The page's script enables it. */
export function copyButton(target: string, what: string, language: Language): Html {
  const { copy, copyWhat } = messagesIn(language, { en, de }).parts;
  return html`
    <button class="button small" type="button" data-copy="${target}"
      disabled>${copy}<span class="visually-hidden">${copyWhat(what)}</span></button>
  `;
}

export function needsScript(language: Language): Html {
  return html`<noscript><p class="notice">${
    messagesIn(language, { en, de }).parts.needsScript
  }</p></noscript>`;
}

export function withQuery(path: string, query: string): string {
  return query === "" ? path : `${path}?${query}`;
}
