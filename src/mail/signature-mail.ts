import type { Language } from "../lib/language.ts";
import type { Instant } from "../lib/time.ts";
import { letter, placeWords } from "./letter.ts";
import type { Mail } from "./mailer.ts";
import { mailWordsIn } from "./words/words.ts";

/** A signature that waits for the owner of its key: who asks, and from where. */
export interface AskedSignature {
  readonly to: string;
  readonly language: Language;
  readonly baseUrl: string;
  readonly requestId: string;
  /** What the token or application is called. */
  readonly askerName: string;
  readonly keyLabel: string;
  readonly network: string;
  readonly at: Instant;
}

/** Tells the owner of a key that a signature waits. What is to be signed stands on the page alone. */
export function signatureAskedMail(news: AskedSignature): Mail {
  const { to, language, baseUrl, requestId, askerName, keyLabel, network, at } = news;
  const words = mailWordsIn(language).signature;
  return letter({
    to,
    language,
    subject: words.subject,
    parts: [
      words.news(askerName, keyLabel, placeWords({ language, network, at })),
      words.approve,
      { link: `${baseUrl}/requests/${requestId}` },
      words.all,
      { link: `${baseUrl}/requests` },
    ],
  });
}
