import type { Language } from "../../lib/language.ts";
import { de } from "./de.ts";
import { en } from "./en.ts";

/** Every sentence of our mails, one catalogue a language, by the rules that `ui/words/words.ts` tells of. */
export type MailWords = typeof en;

const CATALOGUES: Readonly<Record<Language, MailWords>> = { en, de };

/** All sentences of mails in a language. */
export function mailWordsIn(language: Language): MailWords {
  return CATALOGUES[language];
}
