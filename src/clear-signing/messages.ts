import type { Language } from "../lib/language.ts";
import { de as descriptorsDe } from "./descriptor/messages.de.ts";
import { en as descriptorsEn } from "./descriptor/messages.en.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

/**
 * The messages about the effects of a signature, one catalogue for each language. The API uses English, so its texts
 * are a contract (docs/reference/clear-signing.md). A missing German code does not compile. A catalogue receives
 * checked values only and never the document, so it cannot interpret the document again.
 */
export type IntentMessages = typeof en;

const CATALOGUES: Readonly<Record<Language, IntentMessages>> = { en, de };

export function intentMessagesIn(language: Language): IntentMessages {
  return CATALOGUES[language];
}

const DESCRIPTORS: Readonly<Record<Language, typeof descriptorsEn>> = {
  en: descriptorsEn,
  de: descriptorsDe,
};

export function descriptorTextsIn(language: Language): typeof descriptorsEn {
  return DESCRIPTORS[language];
}
