import { HOLE, literalsOf } from "./literals.ts";
import type { Literal } from "./literals.ts";

/** A text for people that stands in a source. */
export interface Said {
  readonly text: string;
  readonly line: number;
}

/** Attributes that people read or hear. */
const READ_ATTRIBUTES = /(?<![\w-])(?:aria-label|aria-description|title|placeholder|alt)="([^"]*)"/g;
const TAG = /<\/?[a-zA-Z!][^<>]*>/g;
const WORD = /\p{L}{2,}/u;
const WORDS = /\p{L}{2,}[,.;:]?\s+\(?\p{L}{2,}/u;
/** A word as a sentence, a heading or a button begins. */
const TITLE = /^\s*\p{Lu}\p{Ll}+[.:…?!]?\s*$/u;

/** Markup that is nothing but attributes of the tag around it. */
const ONLY_ATTRIBUTES =
  /^\s*(?:(?:hidden|selected|checked|open|required|disabled|[\w-]+="[^"]*"|[\w-]+=")\s*)+$/;
/** What a script puts into an element: a word is enough there. */
const SHOWN =
  /\bnewElement\(\s*(?:""|\w+),\s*(?:""|[\w.]+),\s*(?:[^()]*,\s*)?$|\b(?:textContent|ariaLabel|title|placeholder) = $/;

/** Where a literal is for programs: our own mistakes, comparisons, imports, names of classes. */
const FOR_PROGRAMS = [
  /\bnew (?:Type|Range|Syntax)Error\($/,
  /[=!]== $/,
  /\bfrom $/,
  /\bimport\($/,
  /\bclassName = (?:[^;]*[?:] )?$/,
  /\bnewElement\(\s*(?:""|\w+),\s*(?:[^(),]*[?:] )?$/,
];

function ofMarkup({ text, line }: Literal): readonly Said[] {
  const attributes = [...text.matchAll(READ_ATTRIBUTES)].map(([, value]) => value!);
  const between = ONLY_ATTRIBUTES.test(text)
    ? []
    : text.replace(/<code[^<>]*>[^<]*<\/code>/g, "<code>").split(TAG);
  return [...attributes, ...between]
    .flatMap((piece) => piece.split(HOLE))
    .filter((piece) => WORD.test(piece))
    .map((piece) => ({ text: piece.replace(/\s+/g, " ").trim(), line }));
}

function isAttribute(around: string): boolean {
  return /<[^<>]*="[^"]*$/.test(around) && !/(?:aria-label|title|placeholder|alt)="[^"]*$/.test(around);
}

function ofLiteral(literal: Literal): readonly Said[] {
  const { text, tag, before, around, line } = literal;
  if (tag === "html") return ofMarkup(literal);
  if (FOR_PROGRAMS.some((pattern) => pattern.test(before)) || isAttribute(around)) return [];
  const pieces = text.split(HOLE);
  const isSaid = TITLE.test(text) || (SHOWN.test(before) && WORD.test(text)) ||
    pieces.some((piece) => WORDS.test(piece));
  return isSaid ? [{ text: text.replaceAll(HOLE, "{}"), line }] : [];
}

/**
 * What a source of pages or of their scripts says to people by itself: between tags, in the attributes that people read
 * or hear, and in every text of several words, or of one that begins as headings do, that is not plainly for programs.
 */
export function saidIn(source: string): readonly Said[] {
  return literalsOf(source).flatMap(ofLiteral);
}
