import type { Language } from "../lib/language.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

/** The messages of mails, one catalogue per language. English is written first, and German must have the same. */
export type MailMessages = typeof en;

const CATALOGUES: Readonly<Record<Language, MailMessages>> = { en, de };

export function mailMessagesIn(language: Language): MailMessages {
  return CATALOGUES[language];
}
