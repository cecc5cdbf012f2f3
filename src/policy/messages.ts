import type { Language } from "../lib/language.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

/** The messages of policies, one catalogue for each language. The API uses English. */
export type PolicyWords = typeof en;

const CATALOGUES: Readonly<Record<Language, PolicyWords>> = { en, de };

export function policyWordsIn(language: Language): PolicyWords {
  return CATALOGUES[language];
}
