/** The languages of pages and mails. The first is the default. */
export const LANGUAGES = ["en", "de"] as const;

/** A language of pages and mails (BCP 47). */
export type Language = typeof LANGUAGES[number];

/** The default for a user who requests no supported language. */
export const USUAL_LANGUAGE: Language = LANGUAGES[0];

/** The language of the API by default. Its messages are part of the contract. */
export const API_LANGUAGE: Language = "en";

export const LOCALES: Readonly<Record<Language, string>> = { en: "en-GB", de: "de-DE" };

export function isLanguage(text: string): text is Language {
  return LANGUAGES.some((language) => language === text);
}

export function messagesIn<M>(language: Language, catalogues: Readonly<Record<Language, M>>): M {
  return catalogues[language];
}
