/**
 * A name that a person gives to something, as it is stored: trimmed, 1 to `limit` characters (Unicode code points),
 * no control characters, well-formed; undefined for anything else. Format characters are allowed, since names in some
 * scripts and emoji need them: whoever shows a name isolates its direction.
 */
export function readName(text: string, limit: number): string | undefined {
  const name = text.trim();
  if (name === "" || !name.isWellFormed() || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return undefined;
  return name.length <= 2 * limit && [...name].length <= limit ? name : undefined;
}

/** The most of somebody else's text that a line shows. */
const LONGEST_SHOWN = 200;

/**
 * Text that somebody else wrote, fit for a line on a terminal or in a log: controls, line ends and what changes the
 * direction of writing appear as `\u{…}`, and what is too long ends with `…`.
 */
export function printable(text: string): string {
  const shown = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
  return visible(shown);
}

/** The same for lines of our own that may hold such text, however long they are. */
export function visible(text: string): string {
  return text.replaceAll(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

/** Whether a text has a NUL, which the databases take in none. */
export function hasNul(text: string): boolean {
  return text.includes("\0");
}

/** JSON that means the same, in which nothing is left that a terminal would act upon; its line ends stay. */
export function visibleJson(json: string): string {
  return json.replaceAll(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu, (character) => {
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}
