import type { WayBack } from "../../lib/error.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { layout } from "../layout.ts";

const HOME: WayBack = { path: "/", label: "Home" };

/** A problem, shown to a person: what a problem answer (RFC 9457) says to a program. */
export function errorPage(
  status: number,
  title: string,
  detail: string,
  requestId: string,
  wayBack: WayBack = HOME,
): Html {
  return layout({
    title,
    width: "form",
    content: html`
      <div class="card">
        <p class="eyebrow">Error ${status}</p>
        <h1>${title}</h1>
        <p>${/[.?!]$/.test(detail) ? detail : `${detail}.`}</p>
        <p class="actions"><a class="button" href="${wayBack.path}">${wayBack.label}</a></p>
        <p class="fine">When you ask for help, say this request’s number: <code>${requestId}</code></p>
      </div>
    `,
  });
}
