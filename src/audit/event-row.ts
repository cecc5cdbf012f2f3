import type { Html, HtmlValue } from "../lib/html.ts";
import type { Language } from "../lib/language.ts";

export type Translations<T = string> = Readonly<Record<Language, T>>;

/**
 * An event with its sentences for the account's user. `D` is the type of its details beyond time, account and subject.
 * No member may hold a secret, a personal address or the signed content, except transaction data that every chain
 * shows: entries are never deleted.
 */
export interface EventRow<D> extends Translations<string | ((detail: D) => string)> {
  /** The sentences with the name `it` of the subject. */
  readonly named?: Translations<(it: Html, detail: D) => HtmlValue>;
}

/** Declares an event. Without `D` it has no details. */
export function defineEvent<D = Readonly<Record<string, never>>>(row: EventRow<D>): EventRow<D> {
  return row;
}
