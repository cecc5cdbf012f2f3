import type { Language } from "../lib/language.ts";
import { intentWordsIn } from "./messages.ts";
import type { IntentWords } from "./messages.ts";

/** The name of a sentence, or of a part of one, in the catalogues. */
export type Code = keyof IntentWords;

/**
 * Words before they are in a language: a code with what stands in it, or a text that is the same in all of them, as
 * addresses, symbols and numbers are. Plain data, made by `say` alone.
 */
export type Said = string | Sentence;

export interface Sentence {
  readonly code: Code;
  readonly given: Readonly<Record<string, unknown>>;
}

/** What stands where a catalogue takes a text: words that are not in a language yet, too. */
type Sayable<T> = string extends T ? Said | Exclude<T, string>
  : T extends readonly string[] ? readonly Said[]
  : T;

/** A code that needs nothing more. */
export type TextCode = { [C in Code]: IntentWords[C] extends string ? C : never }[Code];

/** What the catalogues need to say a code: nothing where it is a text. */
type Given<C extends Code> = IntentWords[C] extends (given: infer P) => string
  ? [given: { readonly [M in keyof P]: Sayable<P[M]> }]
  : [];

/** Words for a code. What is missing, too much or of another kind does not compile. */
export function say<C extends Code>(code: C, ...[given]: Given<C>): Sentence {
  return { code, given: { ...given } };
}

/** Says it in a language. */
export function tell(said: Said, language: Language): string {
  if (typeof said === "string") return said;
  const words: string | ((given: never) => string) = intentWordsIn(language)[said.code];
  if (typeof words === "string") return words;
  const given = Object.entries(said.given).map(([name, value]) => [name, tellWithin(value, language)]);
  return words(Object.fromEntries(given) as never);
}

function tellWithin(value: unknown, language: Language): unknown {
  if (Array.isArray(value)) return value.map((one) => tellWithin(one, language));
  return isSentence(value) ? tell(value, language) : value;
}

function isSentence(value: unknown): value is Sentence {
  return typeof value === "object" && value !== null && "code" in value;
}
