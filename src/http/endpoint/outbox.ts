import { listOutbox } from "../../mail/outbox.ts";
import { ProtocolError } from "../../lib/error.ts";
import { toIso } from "../../lib/time.ts";
import { outboxPage } from "../../ui/page/outbox-page.ts";
import type { RequestContext } from "../request-context.ts";
import type { Outbox } from "../answer/schema/operations.ts";
import { toFrame } from "../answer/account-view.ts";
import { htmlPage, json } from "../answer/respond.ts";
import type { Endpoint } from "../route.ts";
import type { Services } from "../services.ts";

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
): Endpoint<undefined> {
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
