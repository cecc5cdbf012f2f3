import type { Language } from "../lib/language.ts";
import { momentIn } from "../lib/moment.ts";
import type { Instant } from "../lib/time.ts";
import { letter, placeWords } from "./letter.ts";
import type { LetterPart } from "./letter.ts";
import type { Mail } from "./mailer.ts";
import { mailWordsIn } from "./words/words.ts";

/** What became of a key's policy. */
export type PolicyAct = "tightened" | "loosened" | "asked" | "cancelled" | "took_effect";

/** What became of the policy of a key, and from where. */
export interface PolicyNews {
  readonly to: string;
  readonly language: Language;
  readonly baseUrl: string;
  readonly keyId: string;
  /** The key's. */
  readonly label: string;
  /** What the key may sign, in sentences: now, or from the change on where one waits; undefined for anything. */
  readonly words: readonly string[] | undefined;
  /** When the change takes effect that waits. */
  readonly changeAt: Instant | undefined;
  /** Who did it; undefined where time did. */
  readonly place: { readonly device: string; readonly network: string } | undefined;
  readonly at: Instant;
}

/** Tells the owner of a key what became of its policy, and where that can be undone. */
export function policyMail(act: PolicyAct, news: PolicyNews): Mail {
  const { to, language, baseUrl, keyId, label, words, changeAt, place, at } = news;
  const { anything, [act]: wording } = mailWordsIn(language).policy;
  const { subject, heading, next } = wording;
  const what = wording.news(label, changeAt === undefined ? "" : momentIn(language, changeAt));
  const from = place === undefined ? momentIn(language, at) : placeWords({ language, ...place, at });
  const allowed: readonly LetterPart[] = heading === undefined ? [] : [heading, ...(words ?? [anything])];
  return letter({
    to,
    language,
    subject,
    parts: [`${what}: ${from}.`, ...allowed, next, { link: `${baseUrl}/keys/${keyId}#policy` }],
  });
}
