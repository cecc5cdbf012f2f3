const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const IN_NUMBER = /[0-9.eE+-]/;
const ZERO = 0x30;

/** The number around the index of one of its characters, as it is written in the text, and where it ends. */
export function numberAround(
  text: string,
  index: number,
): { readonly token: string; readonly end: number } {
  let start = index;
  while (start > 0 && IN_NUMBER.test(text[start - 1]!)) start--;
  let end = index;
  while (end < text.length && IN_NUMBER.test(text[end]!)) end++;
  return { token: text.slice(start, end), end };
}

/**
 * Whether a JSON number with a fraction is read as a whole number all the same, because JavaScript's numbers cannot
 * hold the fraction: 9007199254740990.6 becomes …91, and 1e-400 becomes 0. Whole numbers past 2^53, which are rounded
 * too, are left to whoever takes numbers: they can be told by their size.
 */
export function losesFraction(token: string): boolean {
  if (!Number.isSafeInteger(Number(token))) return false;
  const [, whole, fraction = "", exponent = "0"] = NUMBER.exec(token) ?? [];
  if (whole === undefined) return false;
  const digits = whole + fraction;
  // Not /0+$/, which is slow on a long run of zeros that does not stand at the end.
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === ZERO) end--;
  return end > 0 && Number(exponent) + whole.length < end;
}
