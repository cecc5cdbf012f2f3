import { HOLE, literalsOf } from "./literals.ts";
import type { Literal } from "./literals.ts";

export interface Localizable {
  readonly text: string;
  readonly line: number;
}

/** Attributes that users read or hear. */
const READ_ATTRIBUTES = /(?<![\w-])(?:aria-label|aria-description|title|placeholder|alt)="([^"]*)"/g;
const TAG = /<\/?[a-zA-Z!][^<>]*>/g;
const WORD = /\p{L}{2,}/u;
const WORDS = /\p{L}{2,}[,.;:]?\s+\(?\p{L}{2,}/u;
/** A word that begins like a sentence, a heading or a button. */
const TITLE = /^\s*\p{Lu}\p{Ll}+[.:…?!]?\s*$/u;

/** Markup that consists only of attributes of the surrounding tag. */
const ONLY_ATTRIBUTES =
  /^\s*(?:(?:hidden|selected|checked|open|required|disabled|[\w-]+="[^"]*"|[\w-]+=")\s*)+$/;
/** The source before a text that a script puts into an element. There one word is enough. */
const SHOWN =
  /\bnewElement\(\s*(?:""|\w+),\s*(?:""|[\w.]+),\s*(?:[^()]*,\s*)?$|\b(?:textContent|ariaLabel|title|placeholder) = $/;

/** The source before literals that users never see: errors of the program, comparisons, imports, names of classes. */
const FOR_PROGRAMS = [
  /\bnew (?:Type|Range|Syntax)Error\($/,
  /[=!]== $/,
  /\bfrom $/,
  /\bimport\($/,
  /\bclassName = (?:[^;]*[?:] )?$/,
  /\bnewElement\(\s*(?:""|\w+),\s*(?:[^(),]*[?:] )?$/,
];

function ofMarkup({ text, line }: Literal): readonly Localizable[] {
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

function ofLiteral(literal: Literal): readonly Localizable[] {
  const { text, tag, before, around, line } = literal;
  if (tag === "html") return ofMarkup(literal);
  if (FOR_PROGRAMS.some((pattern) => pattern.test(before)) || isAttribute(around)) return [];
  const pieces = text.split(HOLE);
  const isShown = TITLE.test(text) || (SHOWN.test(before) && WORD.test(text)) ||
    pieces.some((piece) => WORDS.test(piece));
  return isShown ? [{ text: text.replaceAll(HOLE, "{}"), line }] : [];
}

/**
 * Returns the user-facing texts in a source of pages or scripts: between tags, in attributes, and every text of
 * several words, or of one that begins as headings do. Leaves out texts that are plainly for programs.
 */
export function textsOutsideCatalogues(source: string): readonly Localizable[] {
  return literalsOf(source).flatMap(ofLiteral);
}
