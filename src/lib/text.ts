/**
 * Normalises a name: trimmed, well-formed, 1 to `limit` code points, no control characters. Returns undefined for
 * anything else. Allows format characters, which some scripts and emoji need: pages must isolate the direction.
 */
export function readName(text: string, limit: number): string | undefined {
  const name = text.trim();
  if (name === "" || !name.isWellFormed() || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) return undefined;
  return name.length <= 2 * limit && [...name].length <= limit ? name : undefined;
}

/** The maximum length of foreign text on a line. */
const LONGEST_SHOWN = 200;

/**
 * Formats foreign text for a terminal or log line. Shows controls, line ends and direction marks as `\u{…}`, and cuts a
 * long text with `…`.
 */
export function printable(text: string): string {
  const shown = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
  return visible(shown);
}

/** Escapes like `printable`, but does not cut. */
export function visible(text: string): string {
  return text.replaceAll(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

/** Returns true if the text has a NUL, which the databases refuse. */
export function hasNul(text: string): boolean {
  return text.includes("\0");
}

/** Escapes what a terminal would act on, except line ends. The JSON keeps its meaning. */
export function visibleJson(json: string): string {
  return json.replaceAll(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu, (character) => {
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
  });
}
