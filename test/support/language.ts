import { listSentences } from "./markdown.ts";

export interface LanguageFault {
  readonly line: number;
  readonly text: string;
}

/** Words that must not begin a docstring: it begins with a verb, or is a noun phrase. */
const BEGINNING = /\/\*\*[\s*]*(?:What|Whether|Who|Whoever|Of|Has|As|The same)\b[^\n]*/g;

/** Words that name no actor. */
const ACTOR =
  /\b(?:who(?:m)?ever|somebody|nobody|anybody|everybody|he|himself|oneself|no one|one who)\b[^\n]{0,40}/gi;

function find(text: string, pattern: RegExp): LanguageFault[] {
  return [...text.matchAll(pattern)].map((match) => ({
    line: text.slice(0, match.index).split("\n").length,
    text: match[0].replace(/\s+/g, " ").slice(0, 80),
  }));
}

/** Returns the docstrings that begin with a question word or a preposition. */
export function findBeginnings(text: string): LanguageFault[] {
  return find(text, BEGINNING);
}

/** Returns the words that leave the actor open, in comments, names and texts. */
export function findVagueActors(text: string): LanguageFault[] {
  return find(text, ACTOR);
}

/** The words that a sentence of a document may have. */
const MOST_WORDS = 40;

/** Returns the sentences of a document that are too long. */
export function findLongSentences(text: string): LanguageFault[] {
  return listSentences(text)
    .filter(({ words }) => words > MOST_WORDS)
    .map(({ line, text }) => ({ line, text: text.slice(0, 80) }));
}
