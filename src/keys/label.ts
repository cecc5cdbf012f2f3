import { readName } from "../lib/text.ts";

/** Maximum length of a label, in Unicode code points. */
export const LABEL_LIMIT = 100;

export function readLabel(text: string): string | undefined {
  return readName(text, LABEL_LIMIT);
}

export function defaultLabel(keyIndex: number): string {
  return `Key ${keyIndex + 1}`;
}
