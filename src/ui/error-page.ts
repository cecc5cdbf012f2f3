import type { ProblemCode, ReturnLink } from "../lib/error.ts";
import { type Html, html } from "../lib/html.ts";
import { messagesIn } from "../lib/language.ts";
import { type AccountView, type FrameView, layout } from "./layout.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

/** A problem on a page, with the members of a problem document (RFC 9457). */
export interface ErrorPageData extends FrameView {
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly requestId: string;
  /** Home by default. */
  readonly returnLink?: ReturnLink;
  readonly account?: AccountView;
}

const HOME: ReturnLink = { path: "/", to: "home" };

function toSentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

export function errorPage(data: ErrorPageData): Html {
  const { code, status, requestId, returnLink = HOME, account, language } = data;
  const messages = messagesIn(language, { en, de }).error;
  const { title, detail } = messages.problem(code, data);
  return layout({
    title,
    ...(account === undefined ? { frame: data } : { account }),
    width: "form",
    content: html`
      <div class="card">
        <p class="eyebrow">${messages.error} ${status}</p>
        <h1>${title}</h1>
        <p>${toSentence(detail)}</p>
        <p class="actions"><a class="button" href="${returnLink.path}">${messages
          .returnLinks[returnLink.to]}</a></p>
        <details>
          <summary>${messages.details}</summary>
          ${messages.serverSays !== "" && html`
            <p class="fine">${messages.serverSays} <span lang="en">${toSentence(data.detail)}</span></p>
          `}
          <p class="fine">${messages.requestNumber} <code>${requestId}</code></p>
        </details>
      </div>
    `,
  });
}
