import { momentIn } from "../lib/date-time.ts";
import type { Language } from "../lib/language.ts";
import type { Instant } from "../lib/time.ts";
import type { Mail } from "./mailer.ts";
import { mailWordsIn } from "./messages.ts";
import { letter, placeWords } from "./render-mail.ts";
import type { LetterPart } from "./render-mail.ts";

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
