import type { Language } from "../lib/language.ts";
import { de } from "./messages.de.ts";
import { en } from "./messages.en.ts";

/** The messages of policies, one catalogue for each language. The API uses English. */
export type PolicyMessages = typeof en;

const CATALOGUES: Readonly<Record<Language, PolicyMessages>> = { en, de };

export function policyMessagesIn(language: Language): PolicyMessages {
  return CATALOGUES[language];
}
