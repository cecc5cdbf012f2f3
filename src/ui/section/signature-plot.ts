import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import type { Language } from "../../lib/language.ts";
import { date } from "../parts.ts";
import { de } from "../words/activity.de.ts";
import { en } from "../words/activity.en.ts";

/** How many signatures a day had, by its date in UTC. */
export interface DayCount {
  /** `2026-01-31` */
  readonly date: string;
  readonly count: number;
}

const HEIGHT = 48;
/** Of a day, with the gap beside its bar. */
const STEP = 10;
const BAR = 7;

function inWords(days: readonly DayCount[], language: Language): string {
  const words = messagesIn(language, { en, de }).activity.plot;
  const sum = days.reduce((sum, { count }) => sum + count, 0);
  if (sum === 0) return words.none(days.length);
  const most = days.reduce((most, one) => one.count > most.count ? one : most);
  return words.sum(sum, days.length, date(most.date, language), most.count);
}

/** The signatures of the last days as bars, the oldest first, drawn in the page; in words and as a table besides. */
export function signaturePlot(days: readonly DayCount[], language: Language): Html {
  const words = messagesIn(language, { en, de }).activity.plot;
  const said = inWords(days, language);
  const most = Math.max(1, ...days.map(({ count }) => count));
  const bars = days.map(({ count }, index) => {
    const height = count === 0 ? 1 : Math.max(3, Math.round(count / most * HEIGHT));
    return html`
      <rect class="${count === 0 ? "bar none" : "bar"}" x="${index * STEP}" y="${HEIGHT - height}"
        width="${BAR}" height="${height}" rx="1" />
    `;
  });
  return html`
    <figure class="card plot">
      <figcaption>${said}</figcaption>
      <svg viewBox="0 0 ${days.length * STEP - (STEP - BAR)} ${HEIGHT}" role="img" aria-label="${said}"
        preserveAspectRatio="none">${bars}</svg>
      <details>
        <summary>${words.table}</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">${words.day}</th>
              <th scope="col">${words.signatures}</th>
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
    </figure>
  `;
}
