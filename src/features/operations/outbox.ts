import { toFrame } from "../../http/frame-view.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { htmlPage, json } from "../../http/response/respond.ts";
import type { LegacyEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { ProtocolError } from "../../lib/error.ts";
import { html } from "../../lib/html.ts";
import type { Html } from "../../lib/html.ts";
import { messagesIn } from "../../lib/language.ts";
import type { Language } from "../../lib/language.ts";
import { toIso } from "../../lib/time.ts";
import { listOutbox } from "../../mail/outbox.ts";
import { layout } from "../../ui/layout.ts";
import type { FrameView } from "../../ui/layout.ts";
import { de } from "../../ui/messages.de.ts";
import { en } from "../../ui/messages.en.ts";
import { shown, time } from "../../ui/parts.ts";
import type { MailView, Outbox } from "./schema.ts";

/**
 * Only for a program or browser on this machine that meant this service: another machine's address is refused, and so
 * is another host name, which a foreign page could have pointed here (DNS rebinding), and whatever a proxy on this
 * machine passed on: where it is not trusted, everybody has this machine's address.
 */
function isLocal({ request, clientAddress }: RequestContext, baseUrl: string): boolean {
  const isLoopback = clientAddress === "::1" || /^127\./.test(clientAddress);
  return isLoopback && !request.headers.has("x-forwarded-for") &&
    request.headers.get("host") === new URL(baseUrl).host;
}

/** Makes the endpoint that shows the development outbox: a page, or JSON for whoever accepts only that. */
export function createOutboxEndpoint(
  { db, vault, tee, baseUrl, mailDelivery }: Pick<
    Services,
    "db" | "vault" | "tee" | "baseUrl" | "mailDelivery"
  >,
): LegacyEndpoint<undefined> {
  return async (context) => {
    const isShown = mailDelivery === "outbox" && isLocal(context, baseUrl);
    if (!isShown) throw new ProtocolError("not_found", "There is nothing here");
    const messages = (await listOutbox(db, vault, context.now)).map(({ to, subject, text, createdAt }) => ({
      to,
      subject,
      text,
      createdAt: toIso(createdAt),
    }));
    const wantsJson = context.request.headers.get("accept")?.includes("application/json") === true;
    return wantsJson
      ? json<typeof Outbox>(200, { messages })
      : htmlPage(200, outboxPage({ mails: messages, ...toFrame({ tee }, context) }));
  };
}

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
