import type { Language } from "../lib/language.ts";
import { type IntentMessages, intentMessagesIn } from "./messages.ts";

export type Code = keyof IntentMessages;

/**
 * A message before translation: a code with its parameters, or a text for every language. Create it with `localizable`.
 */
export type Localizable = string | Sentence;

export interface Sentence {
  readonly code: Code;
  readonly given: Readonly<Record<string, unknown>>;
}

/** The parameter for a text of a catalogue. It may be an untranslated message. */
type LocalizableParameter<T> = string extends T ? Localizable | Exclude<T, string>
  : T extends readonly string[] ? readonly Localizable[]
  : T;

/** A code without parameters. */
export type TextCode = { [C in Code]: IntentMessages[C] extends string ? C : never }[Code];

type Given<C extends Code> = IntentMessages[C] extends (given: infer P) => string
  ? [given: { readonly [M in keyof P]: LocalizableParameter<P[M]> }]
  : [];

/** Creates a message. Missing, additional or wrong parameters do not compile. */
export function localizable<C extends Code>(code: C, ...[given]: Given<C>): Sentence {
  return { code, given: { ...given } };
}

export function localize(text: Localizable, language: Language): string {
  if (typeof text === "string") return text;
  const message: string | ((given: never) => string) = intentMessagesIn(language)[text.code];
  if (typeof message === "string") return message;
  const given = Object.entries(text.given).map(([name, value]) => [name, localizeParameter(value, language)]);
  return message(Object.fromEntries(given) as never);
}

function localizeParameter(value: unknown, language: Language): unknown {
  if (Array.isArray(value)) return value.map((one) => localizeParameter(one, language));
  return isSentence(value) ? localize(value, language) : value;
}

function isSentence(value: unknown): value is Sentence {
  return typeof value === "object" && value !== null && "code" in value;
}
