import { LANGUAGES } from "../../lib/language.ts";
import type { Language } from "../../lib/language.ts";
import { readable } from "../../lib/readable-text.ts";
import { type Said, say } from "../format-message.ts";
import { descriptorTextsIn } from "../messages.ts";

/** A text of a descriptor in each language. */
export type DescriptorText = Readonly<Record<Language, string>>;

/** Where the texts of a descriptor in other languages come from. */
export type Translate = (text: string) => DescriptorText;

function inEach(write: (language: Language) => string): DescriptorText {
  return Object.fromEntries(LANGUAGES.map((language) => [language, write(language)])) as DescriptorText;
}

/** An author's words stay as they are: ERC-7730 knows one language, and nobody else may say what they mean. */
export function asWritten(text: string): DescriptorText {
  return inEach(() => text);
}

/** Our own, from the catalogues. Throws TypeError for a text that is not in the English one. */
export function translateOwn(text: string): DescriptorText {
  const english = Object.entries(descriptorTextsIn("en"));
  const found = english.find(([, one]) => one === text)?.[0] as keyof ReturnType<typeof descriptorTextsIn>;
  if (found === undefined) throw new TypeError(`Cannot translate: ${text}`);
  return inEach((language) => descriptorTextsIn(language)[found]);
}

/** A text of a descriptor as it may stand in a sentence. */
export function textWords({ en, de }: DescriptorText): Said {
  return en === de ? readable(en) : say("each", { en: readable(en), de: readable(de) });
}
