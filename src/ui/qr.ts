import { html } from "../lib/html.ts";
import type { Html } from "../lib/html.ts";
import { QR_SIZE, qrCode } from "../lib/qr.ts";

/** Light modules around a code (ISO/IEC 18004 section 6.3.8). */
const QUIET = 4;

/** A text as a QR code that cameras read in both schemes, SVG in the page. `label` says to screen readers what it is. */
export function qrPicture(text: string, label: string): Html {
  const side = QR_SIZE + 2 * QUIET;
  const runs = qrCode(text).flatMap((row, y) => {
    const line = row.map((isDark) => isDark ? "1" : "0").join("");
    return [...line.matchAll(/1+/g)].map((run) => `M${run.index} ${y}h${run[0].length}v1h-${run[0].length}z`);
  });
  return html`
    <svg class="qr" viewBox="-${QUIET} -${QUIET} ${side} ${side}" role="img"
      aria-label="${label}"
      shape-rendering="crispEdges">
      <path fill="#fff" d="M-${QUIET}-${QUIET}h${side}v${side}h-${side}z" />
      <path
        fill="#000" d="${runs.join("")}" />
    </svg>
  `;
}
