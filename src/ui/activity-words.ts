import { html } from "../lib/html.ts";
import type { Html, HtmlValue } from "../lib/html.ts";
import { messagesIn } from "../lib/language.ts";
import type { Language } from "../lib/language.ts";
import { de } from "./words/events.de.ts";
import { en } from "./words/events.en.ts";

/** What is said of an event: its details go in as they were recorded under its name. */
type Sentence = string | ((detail: unknown) => string);

/** What is found under an event's name, which an entry of another version may not have here. */
function find<T>(sentences: object, event: string): T | undefined {
  return Object.hasOwn(sentences, event) ? (sentences as Readonly<Record<string, T>>)[event] : undefined;
}

/**
 * An event in a sentence with names in it. `it` is what it happened to; undefined where that has no name here. `detail`
 * must be what was recorded under that name. An entry of a version that knew other events goes by its name.
 */
export function activityWords(
  event: string,
  detail: Readonly<Record<string, unknown>>,
  it: Html | undefined,
  language: Language,
): HtmlValue {
  const { sentences, named, unnamed } = messagesIn(language, { en, de });
  const sentence = find<Sentence>(sentences, event) ?? event;
  const words = typeof sentence === "string" ? sentence : sentence(detail);
  if (it === undefined) return words;
  const withName = find<(it: Html, detail: unknown) => HtmlValue>(named, event);
  if (withName !== undefined) return withName(it, detail);
  const beginning = unnamed.find((start) => words.startsWith(`${start} `));
  return beginning === undefined ? words : html`${it}${words.slice(beginning.length)}`;
}
