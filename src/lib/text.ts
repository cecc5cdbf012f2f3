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
