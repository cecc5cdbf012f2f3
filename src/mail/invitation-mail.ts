import type { Language } from "../lib/language.ts";
import { momentIn } from "../lib/date-time.ts";
import type { Instant } from "../lib/time.ts";
import { letter } from "./render-mail.ts";
import type { Mail } from "./mailer.ts";
import { mailWordsIn } from "./messages.ts";

export interface InvitationNews {
  readonly to: string;
  readonly language: Language;
  /** The service's display name. */
  readonly service: string;
  readonly baseUrl: string;
  readonly link: string;
  readonly expiresAt: Instant;
}

/** Creates the mail that invites a person to create an account. */
export function invitationMail(
  { to, language, service, baseUrl, link, expiresAt }: InvitationNews,
): Mail {
  const words = mailWordsIn(language).invitation;
  return letter({
    to,
    language,
    subject: words.subject(service),
    parts: [
      words.invited(new URL(baseUrl).host),
      { link },
      words.until(momentIn(language, expiresAt)),
      words.unknown,
    ],
  });
}
