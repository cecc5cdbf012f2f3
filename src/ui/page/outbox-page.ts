import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { layout } from "../layout.ts";
import { shown, time } from "../parts.ts";
import type { FrameView, MailView } from "../view.ts";

function mailItem({ to, subject, text, createdAt }: MailView): Html {
  return html`
    <li class="card">
      <h2>${shown(subject)}</h2>
      <p class="fine">To ${shown(to)}, ${time(createdAt)}</p>
      <pre class="mail">${text}</pre>
    </li>
  `;
}

/** The mails that development mode kept instead of sending, in the order given. */
export function outboxPage({ mails, ...frame }: FrameView & { readonly mails: readonly MailView[] }): Html {
  return layout({
    frame,
    title: "Development outbox",
    content: html`
      <h1>Development outbox</h1>
      <p class="lead">
        In development no mail is sent: what would have been is shown here, newest first. Load the page again to see
        what has come since.
      </p>
      ${mails.length === 0
        ? html`<p class="empty">No mail yet.</p>`
        : html`<ul class="list">${mails.map(mailItem)}</ul>`}
    `,
  });
}
