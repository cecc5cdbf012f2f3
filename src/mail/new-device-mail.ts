import type { Language } from "../lib/language.ts";
import type { Instant } from "../lib/time.ts";
import { letter, placeWords } from "./letter.ts";
import type { Mail } from "./mailer.ts";
import { mailWordsIn } from "./words/words.ts";

/** Tells the owner of an account that somebody signed in to it from a browser that it did not know. */
export function newDeviceMail(
  { to, language, baseUrl, device, network, at }: {
    readonly to: string;
    readonly language: Language;
    readonly baseUrl: string;
    readonly device: string;
    readonly network: string;
    readonly at: Instant;
  },
): Mail {
  const words = mailWordsIn(language).newDevice;
  return letter({
    to,
    language,
    subject: words.subject,
    parts: [words.news(placeWords({ language, device, network, at })), words.next, {
      link: `${baseUrl}/account`,
    }],
  });
}
