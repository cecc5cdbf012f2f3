import { type Language, LANGUAGES } from "../../lib/language.ts";
import { memoize } from "../../lib/memoize.ts";
import { readable } from "../../lib/readable-text.ts";
import { type Localizable, localizable } from "../format-message.ts";
import { descriptorTextsIn } from "../messages.ts";

export type DescriptorText = Readonly<Record<Language, string>>;

export type Translate = (text: string) => DescriptorText;

function inEveryLanguage(write: (language: Language) => string): DescriptorText {
  return Object.fromEntries(LANGUAGES.map((language) => [language, write(language)])) as DescriptorText;
}

/** Uses the author's text in every language. ERC-7730 has only one, and a translation could change the meaning. */
export function asWritten(text: string): DescriptorText {
  return inEveryLanguage(() => text);
}

const translated = new Map<string, DescriptorText>();

/** Translates a built-in text. A name begins with `=` and stays. Throws TypeError if the English catalogue lacks it. */
export function translateOwn(text: string): DescriptorText {
  return memoize(translated, text, 1_000, findTranslation);
}

function findTranslation(text: string): DescriptorText {
  if (text.startsWith("=")) return asWritten(text.slice(1));
  const english = Object.entries(descriptorTextsIn("en"));
  const found = english.find(([, one]) => one === text)?.[0] as keyof ReturnType<typeof descriptorTextsIn>;
  if (found === undefined) throw new TypeError(`Cannot translate: ${text}`);
  return inEveryLanguage((language) => descriptorTextsIn(language)[found]);
}

export function plainText({ en, de }: DescriptorText): Localizable {
  return en === de ? readable(en) : localizable("each", { en: readable(en), de: readable(de) });
}
