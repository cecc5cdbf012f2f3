import { toFrame } from "../../http/frame-view.ts";
import { publicAccess } from "../../http/guard/guard.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { htmlPage, json } from "../../http/response/respond.ts";
import { defineEndpoint } from "../../http/route.ts";
import { ProtocolError } from "../../lib/error.ts";
import { type Html, html } from "../../lib/html.ts";
import { type Language, messagesIn } from "../../lib/language.ts";
import { toIso } from "../../lib/time.ts";
import { listOutbox } from "../../mail/outbox.ts";
import { type FrameView, layout } from "../../ui/layout.ts";
import { de } from "../../ui/messages.de.ts";
import { en } from "../../ui/messages.en.ts";
import { shown, time } from "../../ui/parts.ts";
import type { MailView, Outbox } from "./schema.ts";

/**
 * Returns true for a client on this machine that names this service's own host. A foreign page can point another host
 * name here (DNS rebinding). Returns false if a proxy forwarded the request: behind an untrusted proxy every client
 * has this machine's address.
 */
function isLocal({ request, clientAddress }: RequestContext, baseUrl: string): boolean {
  const isLoopback = clientAddress === "::1" || /^127\./.test(clientAddress);
  return isLoopback && !request.headers.has("x-forwarded-for") &&
    request.headers.get("host") === new URL(baseUrl).host;
}

/** Shows the development outbox as a page, or as JSON if the client accepts JSON. */
export const showOutbox = defineEndpoint(publicAccess, {}, async (context, _principal, _input, services) => {
  const { db, vault, baseUrl, mailDelivery } = services;
  const isShown = mailDelivery === "outbox" && isLocal(context, baseUrl);
  if (!isShown) throw new ProtocolError("not_found", "There is nothing here");
  const mails = (await listOutbox(db, vault, context.now)).map(({ to, subject, text, createdAt }) => ({
    to,
    subject,
    text,
    createdAt: toIso(createdAt),
  }));
  const wantsJson = context.request.headers.get("accept")?.includes("application/json") === true;
  return wantsJson
    ? json<typeof Outbox>(200, { messages: mails })
    : htmlPage(200, outboxPage({ mails, ...toFrame(services, context) }));
});

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

export function outboxPage({ mails, ...frame }: FrameView & { readonly mails: readonly MailView[] }): Html {
  const { language } = frame;
  const messages = messagesIn(language, { en, de }).outbox;
  return layout({
    frame,
    title: messages.title,
    content: html`
      <h1>${messages.title}</h1>
      <p class="lead">
        ${messages.lead}
      </p>
      ${mails.length === 0
        ? html`<p class="empty">${messages.none}</p>`
        : html`<ul class="list">${mails.map((mail) => mailItem(mail, language))}</ul>`}
    `,
  });
}
