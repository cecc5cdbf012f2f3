import { readName } from "../lib/text.ts";

/** Most characters (Unicode code points) a label may have. */
export const LABEL_LIMIT = 100;

/** The label as it is stored, by the rules of `readName`; undefined for what is none. */
export function readLabel(text: string): string | undefined {
  return readName(text, LABEL_LIMIT);
}

/** The label of a key that was given none. */
export function defaultLabel(keyIndex: number): string {
  return `Key ${keyIndex + 1}`;
}
