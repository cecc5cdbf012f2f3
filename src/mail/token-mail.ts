import type { Language } from "../lib/language.ts";
import { momentIn } from "../lib/moment.ts";
import type { Instant } from "../lib/time.ts";
import { letter, placeWords } from "./letter.ts";
import type { Mail } from "./mailer.ts";
import { mailWordsIn } from "./words/words.ts";

/** What a token that was made may do, and from where it was made. */
export interface TokenNews {
  readonly to: string;
  readonly language: Language;
  readonly baseUrl: string;
  readonly name: string;
  readonly keys: "all" | readonly string[];
  readonly actions: readonly string[];
  readonly expiresAt: Instant;
  readonly device: string;
  readonly network: string;
  readonly at: Instant;
}

/** Tells the owner of an account that a program may use keys from now on. */
export function tokenAddedMail(news: TokenNews): Mail {
  const { to, language, baseUrl, name, keys, actions, expiresAt } = news;
  const words = mailWordsIn(language).token;
  const which = keys === "all" ? words.allKeys : words.keys(keys.length);
  const rights = actions.map((action) => words.actions[action] ?? action).join(", ");
  return letter({
    to,
    language,
    subject: words.subject,
    parts: [
      words.news(name, placeWords(news)),
      words.rights(which, rights, momentIn(language, expiresAt)),
      words.next,
      { link: `${baseUrl}/account` },
    ],
  });
}
