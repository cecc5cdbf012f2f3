import type { Language } from "../lib/language.ts";
import { type IntentWords, intentWordsIn } from "./messages.ts";

export type Code = keyof IntentWords;

/** A message before translation: a code with its parameters, or a text for every language. Create it with `say`. */
export type Said = string | Sentence;

export interface Sentence {
  readonly code: Code;
  readonly given: Readonly<Record<string, unknown>>;
}

/** The parameter for a text of a catalogue. It may be an untranslated message. */
type Sayable<T> = string extends T ? Said | Exclude<T, string>
  : T extends readonly string[] ? readonly Said[]
  : T;

/** A code without parameters. */
export type TextCode = { [C in Code]: IntentWords[C] extends string ? C : never }[Code];

type Given<C extends Code> = IntentWords[C] extends (given: infer P) => string
  ? [given: { readonly [M in keyof P]: Sayable<P[M]> }]
  : [];

/** Creates a message. Missing, additional or wrong parameters do not compile. */
export function say<C extends Code>(code: C, ...[given]: Given<C>): Sentence {
  return { code, given: { ...given } };
}

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
