import { encodeQR } from "qr";
import { html } from "../lib/html.ts";
import type { Html } from "../lib/html.ts";

/** The width of the quiet zone in modules (ISO/IEC 18004 section 6.3.8). */
const QUIET_ZONE = 4;

/**
 * Draws a text as a QR code of error correction level M, as SVG in the page. `label` is its name for screen readers. Its
 * colours are the same in both colour schemes, because cameras expect dark on light.
 */
export function qrPicture(text: string, label: string): Html {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: QUIET_ZONE });
  const side = rows.length;
  const runs = rows.flatMap((row, y) => {
    const line = row.map((isDark) => isDark ? "1" : "0").join("");
    return [...line.matchAll(/1+/g)].map((run) => `M${run.index} ${y}h${run[0].length}v1h-${run[0].length}z`);
  });
  return html`
    <svg class="qr" viewBox="0 0 ${side} ${side}" role="img" aria-label="${label}"
      shape-rendering="crispEdges">
      <path fill="#fff" d="M0 0h${side}v${side}h-${side}z" />
      <path fill="#000" d="${runs.join("")}" />
    </svg>
  `;
}
