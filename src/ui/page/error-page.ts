import type { WayBack } from "../../lib/error.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { layout } from "../layout.ts";
import type { AccountView, FrameView } from "../view.ts";

/** A problem as a page shows it: what a problem answer (RFC 9457) says to a program. */
export interface ErrorPageData extends FrameView {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string;
  /** Home unless given. */
  readonly wayBack?: WayBack;
  /** Who is signed in, where that is known. */
  readonly account?: AccountView;
}

const HOME: WayBack = { path: "/", label: "Home" };

/** A problem, shown to a person, with the way on. */
export function errorPage(data: ErrorPageData): Html {
  const { status, title, detail, requestId, wayBack = HOME, account } = data;
  return layout({
    title,
    ...(account === undefined ? { frame: data } : { account }),
    width: "form",
    content: html`
      <div class="card">
        <p class="eyebrow">Error ${status}</p>
        <h1>${title}</h1>
        <p>${/[.?!]$/.test(detail) ? detail : `${detail}.`}</p>
        <p class="actions"><a class="button" href="${wayBack.path}">${wayBack.label}</a></p>
        <details>
          <summary>Details</summary>
          <p class="fine">When you ask for help, say this request’s number: <code>${requestId}</code></p>
        </details>
      </div>
    `,
  });
}
