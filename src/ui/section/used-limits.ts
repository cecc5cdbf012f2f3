import { type Html, html } from "../../lib/html.ts";
import type { UsedLimit } from "../../policy/usage.ts";
import { shown } from "../parts.ts";

/** The part of a limit from which its bar is marked. */
const NEAR_THE_END = 0.8;

/** Renders limits with what is used up of each, as bars; nothing without limits. */
export function usedLimits(limits: readonly UsedLimit[]): Html {
  if (limits.length === 0) return html``;
  return html`
    <ul class="plain-list used-limits">${limits.map(({ text, share }) =>
      html`<li><label class="fine">${shown(text)} <meter value="${share}"
        low="${NEAR_THE_END}" high="${NEAR_THE_END}" optimum="0">${
        Math.round(share * 100)
      } %</meter></label></li>`
    )}</ul>
  `;
}
