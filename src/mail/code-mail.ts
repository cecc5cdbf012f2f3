import { formatDateTime } from "../lib/date-time.ts";
import type { Language } from "../lib/language.ts";
import type { Instant } from "../lib/time.ts";
import type { Mail } from "./mailer.ts";
import { mailMessagesIn } from "./messages.ts";
import { renderMail } from "./render-mail.ts";

/**
 * Creates the mail with a code that verifies an address. The code is in the body, because a locked screen shows the
 * subject. Contains no link, because a mail scanner would follow it. The last line binds the code to the service's
 * host, so that a browser fills it in on that host only (WICG "Origin-bound one-time codes delivered via SMS").
 */
export function codeMail(
  { to, language, baseUrl, code, service }: {
    readonly to: string;
    readonly language: Language;
    readonly baseUrl: string;
    /** Six digits. */
    readonly code: string;
    readonly service: string;
  },
): Mail {
  const host = new URL(baseUrl).hostname;
  const messages = mailMessagesIn(language).code;
  return renderMail({
    to,
    language,
    subject: messages.subject(service),
    parts: [
      messages.code(service, host),
      { code },
      messages.once,
      messages.place(host),
      messages.notYou,
      `@${host} #${code}`,
    ],
  });
}

export interface InvitationMailEvent {
  readonly to: string;
  readonly language: Language;
  readonly service: string;
  readonly baseUrl: string;
  readonly link: string;
  readonly expiresAt: Instant;
}

export function invitationMail(
  { to, language, service, baseUrl, link, expiresAt }: InvitationMailEvent,
): Mail {
  const messages = mailMessagesIn(language).invitation;
  return renderMail({
    to,
    language,
    subject: messages.subject(service),
    parts: [
      messages.invited(new URL(baseUrl).host),
      { link },
      messages.until(formatDateTime(language, expiresAt)),
      messages.unknown,
    ],
  });
}
