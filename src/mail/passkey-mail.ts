import type { Language } from "../lib/language.ts";
import type { Instant } from "../lib/time.ts";
import { letter, placeWords } from "./letter.ts";
import type { Mail } from "./mailer.ts";
import { mailWordsIn } from "./words/words.ts";

/** What became of a passkey, and from where. */
export interface PasskeyNews {
  readonly to: string;
  readonly language: Language;
  readonly baseUrl: string;
  /** The passkey's. */
  readonly name: string;
  readonly device: string;
  readonly network: string;
  readonly at: Instant;
}

/** Tells the owner of an account that a passkey was added. */
export function passkeyAddedMail(news: PasskeyNews): Mail {
  return passkeyMail("added", news);
}

/** Tells the owner of an account that a passkey was removed. */
export function passkeyRemovedMail(news: PasskeyNews): Mail {
  return passkeyMail("removed", news);
}

function passkeyMail(act: "added" | "removed", news: PasskeyNews): Mail {
  const { to, language, baseUrl, name } = news;
  const { [act]: words, next } = mailWordsIn(language).passkey;
  return letter({
    to,
    language,
    subject: words.subject,
    parts: [words.news(name, placeWords(news)), next, { link: `${baseUrl}/account` }],
  });
}
