import type { Language } from "../lib/language.ts";
import { type IntentMessages, intentMessagesIn } from "./messages.ts";

export type Code = keyof IntentMessages;

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
export type TextCode = { [C in Code]: IntentMessages[C] extends string ? C : never }[Code];

type Given<C extends Code> = IntentMessages[C] extends (given: infer P) => string
  ? [given: { readonly [M in keyof P]: Sayable<P[M]> }]
  : [];

/** Creates a message. Missing, additional or wrong parameters do not compile. */
export function say<C extends Code>(code: C, ...[given]: Given<C>): Sentence {
  return { code, given: { ...given } };
}

export function tell(said: Said, language: Language): string {
  if (typeof said === "string") return said;
  const messages: string | ((given: never) => string) = intentMessagesIn(language)[said.code];
  if (typeof messages === "string") return messages;
  const given = Object.entries(said.given).map(([name, value]) => [name, tellWithin(value, language)]);
  return messages(Object.fromEntries(given) as never);
}

function tellWithin(value: unknown, language: Language): unknown {
  if (Array.isArray(value)) return value.map((one) => tellWithin(one, language));
  return isSentence(value) ? tell(value, language) : value;
}

function isSentence(value: unknown): value is Sentence {
  return typeof value === "object" && value !== null && "code" in value;
}
