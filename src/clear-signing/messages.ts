import type { Language } from "../lib/language.ts";
import { de as descriptorsDe } from "./descriptor/messages.de.ts";
import { en as descriptorsEn } from "./descriptor/messages.en.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

/**
 * Every sentence on what a signature does, one catalogue a language: texts, and functions of what stands in them. The
 * English one is what the API says, so its texts are a contract (docs/clear-signing.md). German must have the same codes:
 * a missing one does not compile. A catalogue sees checked values only and never the document, so it can word what is
 * signed, and not read it anew. All of them write amounts, addresses and other numbers alike.
 */
export type IntentWords = typeof en;

const CATALOGUES: Readonly<Record<Language, IntentWords>> = { en, de };

/** All of them in a language. */
export function intentWordsIn(language: Language): IntentWords {
  return CATALOGUES[language];
}

const DESCRIPTORS: Readonly<Record<Language, typeof descriptorsEn>> = {
  en: descriptorsEn,
  de: descriptorsDe,
};

/** The texts of the descriptors that come with the service. */
export function descriptorTextsIn(language: Language): typeof descriptorsEn {
  return DESCRIPTORS[language];
}
