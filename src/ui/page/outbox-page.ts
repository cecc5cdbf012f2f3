import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import type { Language } from "../../lib/language.ts";
import { layout } from "../layout.ts";
import { shown, time } from "../parts.ts";
import type { FrameView, MailView } from "../view.ts";
import { de } from "../words/kit.de.ts";
import { en } from "../words/kit.en.ts";

function mailItem({ to, subject, text, createdAt }: MailView, language: Language): Html {
  return html`
    <li class="card">
      <h2>${shown(subject)}</h2>
      <p class="fine">${messagesIn(language, { en, de }).outbox.to} ${shown(to)}, ${time(
        createdAt,
        language,
      )}</p>
      <pre class="mail">${text}</pre>
    </li>
  `;
}

/** The mails that development mode kept instead of sending, in the order given. */
export function outboxPage({ mails, ...frame }: FrameView & { readonly mails: readonly MailView[] }): Html {
  const { language } = frame;
  const words = messagesIn(language, { en, de }).outbox;
  return layout({
    frame,
    title: words.title,
    content: html`
      <h1>${words.title}</h1>
      <p class="lead">
        ${words.lead}
      </p>
      ${mails.length === 0
        ? html`<p class="empty">${words.none}</p>`
        : html`<ul class="list">${mails.map((mail) => mailItem(mail, language))}</ul>`}
    `,
  });
}
