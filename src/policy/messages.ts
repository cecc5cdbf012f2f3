import type { Language } from "../lib/language.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

/** Every sentence about policies, one catalogue a language. English is what the API says; German must have the same. */
export type PolicyWords = typeof en;

const CATALOGUES: Readonly<Record<Language, PolicyWords>> = { en, de };

/** All sentences about policies in a language. */
export function policyWordsIn(language: Language): PolicyWords {
  return CATALOGUES[language];
}
