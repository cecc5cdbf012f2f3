import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { date } from "../parts.ts";

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

function words(days: readonly DayCount[]): string {
  const sum = days.reduce((sum, { count }) => sum + count, 0);
  if (sum === 0) return `No signatures in the last ${days.length} days`;
  const most = days.reduce((most, one) => one.count > most.count ? one : most);
  return `${sum} ${sum === 1 ? "signature" : "signatures"} in the last ${days.length} days, ` +
    `most on ${date(most.date)}: ${most.count}`;
}

/** The signatures of the last days as bars, the oldest first, drawn in the page; in words and as a table besides. */
export function signaturePlot(days: readonly DayCount[]): Html {
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
      <figcaption>${words(days)}</figcaption>
      <svg viewBox="0 0 ${days.length * STEP - (STEP - BAR)} ${HEIGHT}" role="img" aria-label="${words(days)}"
        preserveAspectRatio="none">${bars}</svg>
      <details>
        <summary>As a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Day (UTC)</th>
              <th scope="col">Signatures</th>
            </tr>
          </thead>
          <tbody>${days.filter(({ count }) => count > 0).toReversed().map(({ date: on, count }) =>
            html`
              <tr>
                <td>${date(on)}</td>
                <td>${count}</td>
              </tr>
            `
          )}</tbody>
        </table>
      </details>
    </figure>
  `;
}
