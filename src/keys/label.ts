/** Most characters (Unicode code points) a label may have. */
export const LABEL_LIMIT = 100;

/**
 * The label as it is stored: trimmed, 1 to 100 characters, no control characters, well-formed; undefined for anything
 * else. Format characters (Cf) are allowed: names in some scripts and emoji need them.
 */
export function readLabel(text: string): string | undefined {
  const label = text.trim();
  if (label === "" || !label.isWellFormed() || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(label)) return undefined;
  return label.length <= 2 * LABEL_LIMIT && [...label].length <= LABEL_LIMIT ? label : undefined;
}

/** The label of a key that was given none. */
export function defaultLabel(keyIndex: number): string {
  return `Key ${keyIndex + 1}`;
}
