import type { Language } from "../lib/language.ts";
import { letter } from "./render-mail.ts";
import type { Mail } from "./mailer.ts";
import { mailWordsIn } from "./messages.ts";

/**
 * The code that proves an address. It stands in the body, not in the subject a locked screen shows; there is no link,
 * which a mail scanner would follow. The last line binds the code to the service's host, so that a browser fills it
 * in there alone (WICG "Origin-bound one-time codes delivered via SMS").
 */
export function codeMail(
  { to, language, baseUrl, code, service }: {
    readonly to: string;
    readonly language: Language;
    readonly baseUrl: string;
    /** Six digits. */
    readonly code: string;
    /** The name people know the service by. */
    readonly service: string;
  },
): Mail {
  const host = new URL(baseUrl).hostname;
  const words = mailWordsIn(language).code;
  return letter({
    to,
    language,
    subject: words.subject(service),
    parts: [
      words.code(service, host),
      { code },
      words.once,
      words.place(host),
      words.notYou,
      `@${host} #${code}`,
    ],
  });
}
