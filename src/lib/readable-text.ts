import { readableParts } from "./readable.js";

/**
 * A text of somebody else's as it may stand inside a sentence of ours, on one line: what could not be seen or passes for
 * something else is followed or replaced by its code point in brackets, and what is written from right to left is
 * isolated from the words around it. For plain text: HTML has its own way to show the same parts.
 */
export function readable(text: string): string {
  const parts = readableParts(text);
  const written = parts.map(({ kind, text }) => {
    if (kind === "isolated") return `\u2066${text}\u2069`;
    return kind === "text" ? text.replace(/[\n\t]/g, nameControl) : `[${text}]`;
  }).join("");
  return /[^\0-\u0590]/.test(written) ? `\u2068${written}\u2069` : written;
}

function nameControl(control: string): string {
  return control === "\n" ? "[U+000A]" : "[U+0009]";
}
