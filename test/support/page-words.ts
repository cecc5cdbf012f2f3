import type { Language } from "../../src/lib/language.ts";
import { wordsIn } from "../../src/ui/words/words.ts";

/** Has the scripts of pages, run without one, find the words of that language, as those that are served do. */
export function bringWords(language: Language): void {
  Object.assign(globalThis, {
    words: wordsIn(language).scripts,
    document: { documentElement: { lang: language } },
  });
}
