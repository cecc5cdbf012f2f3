import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { date, shown } from "../../ui/parts.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

/** The number of signatures on a UTC date. */
export interface DayCount {
  /** `2026-01-31` */
  readonly date: string;
  readonly count: number;
}

/** The signatures of a key, or for a program, per day. */
export interface NamedSeries {
  /** undefined = the owner. */
  readonly name: string | undefined;
  /** One number for each day, oldest first. */
  readonly counts: readonly number[];
  readonly sum: number;
}

export interface SignaturesView {
  /** Oldest first. */
  readonly days: readonly DayCount[];
  /** Those with the most signatures. */
  readonly keys: readonly NamedSeries[];
  readonly programs: readonly NamedSeries[];
}

const HEIGHT = 48;

/** The width of a bar with its gap. */
const STEP = 10;

const BAR = 7;

/** Renders a bar for each number; the highest one has the whole height. */
function bars(counts: readonly number[]): readonly Html[] {
  const most = Math.max(1, ...counts);
  return counts.map((count, index) => {
    const height = count === 0 ? 1 : Math.max(3, Math.round(count / most * HEIGHT));
    return html`
      <rect class="${count === 0 ? "bar none" : "bar"}" x="${index * STEP}" y="${HEIGHT - height}"
        width="${BAR}" height="${height}" rx="1" />
    `;
  });
}

function viewBox(counts: readonly number[]): string {
  return `0 0 ${counts.length * STEP - (STEP - BAR)} ${HEIGHT}`;
}

function describeDays(days: readonly DayCount[], language: Language): string {
  const messages = messagesIn(language, { en, de }).activity.plot;
  const sum = days.reduce((sum, { count }) => sum + count, 0);
  if (sum === 0) return messages.none(days.length);
  const most = days.reduce((most, one) => one.count > most.count ? one : most);
  return messages.sum(sum, days.length, date(most.date, language), most.count);
}

function daysTable(days: readonly DayCount[], language: Language): Html {
  const messages = messagesIn(language, { en, de }).activity.plot;
  return html`
    <details>
      <summary>${messages.table}</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">${messages.day}</th>
            <th scope="col">${messages.signatures}</th>
          </tr>
        </thead>
        <tbody>${days.filter(({ count }) => count > 0).toReversed().map(({ date: on, count }) =>
          html`
            <tr>
              <td>${date(on, language)}</td>
              <td>${count}</td>
            </tr>
          `
        )}</tbody>
      </table>
    </details>
  `;
}

/** Renders a row with a small plot for each key or program; nothing without signatures. */
function seriesTable(
  series: readonly NamedSeries[],
  { caption, column, language }: {
    readonly caption: string;
    readonly column: string;
    readonly language: Language;
  },
): Html {
  const messages = messagesIn(language, { en, de }).activity.plot;
  if (series.length === 0) return html``;
  return html`
    <table>
      <caption>${caption}</caption>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">${column}</th>
          <th scope="col">${messages.perDay}</th>
          <th scope="col">${messages.signatures}</th>
        </tr>
      </thead>
      <tbody>${series.map(({ name, counts, sum }) =>
        html`
          <tr>
            <th scope="row">${name === undefined ? messages.you : shown(name)}</th>
            <td>
              <svg viewBox="${viewBox(counts)}" aria-hidden="true"
                preserveAspectRatio="none">${bars(counts)}</svg>
            </td>
            <td>${sum}</td>
          </tr>
        `
      )}</tbody>
    </table>
  `;
}

/** Renders the signatures of the last days: as bars, as a sentence, as a table, by key and by program. */
export function signaturesSection({ days, keys, programs }: SignaturesView, language: Language): Html {
  const messages = messagesIn(language, { en, de }).activity.plot;
  const summary = describeDays(days, language);
  const counts = days.map(({ count }) => count);
  const [byKey, byProgram] = [
    { caption: messages.byKey, column: messages.key, language },
    { caption: messages.byProgram, column: messages.program, language },
  ];
  return html`
    <figure class="card plot">
      <figcaption>${summary}</figcaption>
      <svg viewBox="${viewBox(counts)}" role="img" aria-label="${summary}"
        preserveAspectRatio="none">${bars(counts)}</svg>
      <div class="series">${seriesTable(keys, byKey)} ${seriesTable(programs, byProgram)}</div>
      ${daysTable(days, language)}
    </figure>
  `;
}
