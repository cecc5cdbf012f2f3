const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const UPPER_E = 0x45;
const LOWER_E = 0x65;

/** Whether a character may stand in a number. By its code: a regular expression for each would cost more than the rest. */
function isInNumber(code: number): boolean {
  return (code >= ZERO && code <= NINE) || code === POINT || code === MINUS || code === PLUS ||
    code === LOWER_E || code === UPPER_E;
}

/** The number around the index of one of its characters, as it is written in the text, and where it ends. */
export function numberAround(
  text: string,
  index: number,
): { readonly token: string; readonly end: number } {
  let start = index;
  while (start > 0 && isInNumber(text.charCodeAt(start - 1))) start--;
  let end = index;
  while (end < text.length && isInNumber(text.charCodeAt(end))) end++;
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
