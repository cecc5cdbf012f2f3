import { readableParts } from "./readable.js";

/** Formats a foreign text for one line. Names unseen characters and look-alikes, and isolates right-to-left text. */
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
