import type { Language } from "../lib/language.ts";
import { momentIn } from "../lib/date-time.ts";
import type { Instant } from "../lib/time.ts";
import { letter, placeWords } from "./render-mail.ts";
import type { LetterPart } from "./render-mail.ts";
import type { Mail } from "./mailer.ts";
import { mailWordsIn } from "./messages.ts";

/**
 * What became of an account's way back: a recovery was begun, waits, can be finished from now on, was cancelled, came to
 * nothing or was finished; recovery codes were made, or the choices changed.
 */
export type RecoveryNewsAct =
  | "begun"
  | "waits"
  | "ready"
  | "cancelled"
  | "lapsed"
  | "finished"
  | "codesMade"
  | "choicesChanged";

/** What became of it, and from where. */
export interface RecoveryNews {
  readonly to: string;
  readonly language: Language;
  readonly baseUrl: string;
  /** Of a recovery that waits, from where it was begun; of an act, from where it came. */
  readonly device: string;
  readonly network: string;
  /** When it was begun, of a recovery that waits; of an act, when it was done. */
  readonly at: Instant;
  /** From when a new passkey can be made, of a recovery that waits. */
  readonly readyAt?: Instant;
  /** Where a recovery that waits is cancelled: a path. */
  readonly cancelPath?: string;
  /** What the choices are now. */
  readonly choices?: { readonly delayHours: number; readonly emailAlone: boolean };
}

/** Tells the owner of an account what became of its way back, and where that is stopped. */
export function recoveryMail(act: RecoveryNewsAct, news: RecoveryNews): Mail {
  const { to, language, baseUrl, at, readyAt = at, cancelPath = "/account/recovery", choices } = news;
  const words = mailWordsIn(language).recovery;
  const { subject, news: says, next } = words[act];
  const chosen = choices === undefined
    ? []
    : [words.delay(choices.delayHours), choices.emailAlone ? words.alone : words.notAlone];
  const parts: readonly LetterPart[] = [
    ...says(placeWords(news), momentIn(language, readyAt)),
    ...chosen,
    next,
    { link: `${baseUrl}${cancelPath}` },
  ];
  return letter({ to, language, subject, parts });
}

/**
 * The code that proves an address for a recovery: the same for an address that has no account, in the language of the
 * browser that asks. There is no link, which a mail scanner would follow.
 */
export function recoveryCodeMail(
  { to, language, baseUrl, code, service }: {
    readonly to: string;
    readonly language: Language;
    readonly baseUrl: string;
    /** As `formatCode` writes it. */
    readonly code: string;
    readonly service: string;
  },
): Mail {
  const host = new URL(baseUrl).hostname;
  const words = mailWordsIn(language).recovery.code;
  return letter({
    to,
    language,
    subject: words.subject(service),
    parts: [words.code(service, host), { code }, words.once, words.place(host), words.notYou],
  });
}
