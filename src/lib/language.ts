/** The languages of pages and mails. The first is for whoever asks for none of them. */
export const LANGUAGES = ["en", "de"] as const;

/** A language of pages and mails, as BCP 47 has it. */
export type Language = typeof LANGUAGES[number];

/** The language of whoever asks for none of ours. */
export const USUAL_LANGUAGE: Language = LANGUAGES[0];

/** What the API says for people is in this language, unless it is asked for another: its texts are part of its contract. */
export const API_LANGUAGE: Language = "en";

/** How dates and numbers are written in a language: what `Intl` takes. */
export const LOCALES: Readonly<Record<Language, string>> = { en: "en-GB", de: "de-DE" };

/** Whether a text names a language of ours. */
export function isLanguage(text: string): text is Language {
  return LANGUAGES.some((language) => language === text);
}

/** Returns the catalogue of a language. */
export function messagesIn<M>(language: Language, catalogues: Readonly<Record<Language, M>>): M {
  return catalogues[language];
}
