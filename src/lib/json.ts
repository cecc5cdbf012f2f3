import { ProtocolError } from "./error.ts";

/** Levels of arrays and objects a text may have. */
export const MAXIMUM_DEPTH = 64;

/** Values that a text may have, objects and arrays among them: what they cost is not told by the length of the text. */
export const MAXIMUM_VALUES = 16_384;

/** One open object or array, with where in it the scan stands. */
interface Frame {
  /** The member names so far; undefined for an array. */
  readonly names: Set<string> | undefined;
  /** The current member name or array index. */
  at: string | number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const UPPER_E = 0x45;
const LOWER_E = 0x65;

/** The longest name of a member or parameter that an answer repeats. */
const SHOWN_NAME_LENGTH = 64;

/** A name as an answer repeats it: a very long one is cut. */
export function shownName(name: string): string {
  return name.length > SHOWN_NAME_LENGTH ? name.slice(0, SHOWN_NAME_LENGTH) + "…" : name;
}

/** A JSON pointer (RFC 6901) to what stands under the given names and indexes; a very long name is cut. */
export function jsonPointer(path: readonly (string | number)[]): string {
  return path.map((step) => {
    return "/" + shownName(String(step)).replaceAll("~", "~0").replaceAll("/", "~1");
  }).join("");
}

function invalidJson(fault: string, path?: readonly (string | number)[]): ProtocolError {
  const errors = path && [{ path: jsonPointer(path), message: fault }];
  return new ProtocolError(
    "invalid_json",
    `Cannot read JSON: ${fault.toLowerCase()}`,
    errors ? { errors } : {},
  );
}

/** Index of the quote that closes the string whose content begins at `start`. */
function closingQuote(text: string, start: number): number {
  for (let quote = text.indexOf('"', start); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote;
  }
  throw invalidJson("Malformed text");
}

/** JSON.parse without its message, which repeats the input. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidJson("Malformed text");
  }
}

/** Notes a member name, given as it stands between its quotes: `"a"` and `"\u0061"` are one name. */
function noteName(raw: string, names: Set<string>, frame: Frame, frames: readonly Frame[]): void {
  const name = raw.includes("\\") ? String(parse(`"${raw}"`)) : raw;
  const isDuplicate = names.has(name);
  names.add(name);
  frame.at = name;
  if (isDuplicate) throw invalidJson("Duplicate member", frames.map(({ at }) => at));
  if (name === "__proto__") throw invalidJson("Forbidden member", frames.map(({ at }) => at));
}

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Returns true if a number may have the character. A regular expression for each one would cost more than the rest. */
function isInNumber(code: number): boolean {
  return (code >= ZERO && code <= NINE) || code === POINT || code === MINUS || code === PLUS ||
    code === LOWER_E || code === UPPER_E;
}

/** Returns the number around the index of one of its characters, as it is written in the text, and its end. */
function numberAround(
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
 * Returns true if JavaScript reads a JSON number with a fraction as a whole number: 9007199254740990.6 becomes …91, and
 * 1e-400 becomes 0. Does not check whole numbers past 2^53, which are rounded too: the caller sees them by their size.
 */
function losesFraction(token: string): boolean {
  if (!Number.isSafeInteger(Number(token))) return false;
  const [, whole, fraction = "", exponent = "0"] = NUMBER.exec(token) ?? [];
  if (whole === undefined) return false;
  const digits = whole + fraction;
  // Not /0+$/, which is slow on a long run of zeros that does not stand at the end.
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === ZERO) end--;
  return end > 0 && Number(exponent) + whole.length < end;
}

/** Looks at a number that has a point or an exponent, and answers the index of its last character. */
function checkNumber(text: string, index: number, frames: readonly Frame[]): number {
  const { token, end } = numberAround(text, index);
  if (losesFraction(token)) {
    throw invalidJson("Number with a fraction too small to be kept", frames.map(({ at }) => at));
  }
  return end - 1;
}

/**
 * Looks at the structure and at numbers, in one pass over the text and no further than the values go: whatever
 * JSON.parse would accept is seen here as JSON.parse sees it, and what is no JSON at all is left for it to refuse.
 */
function scan(text: string): void {
  const frames: Frame[] = [];
  let frame: Frame | undefined;
  let expectsName = false;
  // Each opening and each comma has at most one more value behind it.
  let values = 1;
  for (let index = 0; index < text.length; index++) {
    if (values > MAXIMUM_VALUES) throw invalidJson(`More than ${MAXIMUM_VALUES} values`);
    switch (text.charCodeAt(index)) {
      case QUOTE: {
        const end = closingQuote(text, index + 1);
        if (expectsName && frame?.names) {
          noteName(text.slice(index + 1, end), frame.names, frame, frames);
          expectsName = false;
        }
        index = end;
        break;
      }
      case OPEN_OBJECT:
      case OPEN_ARRAY: {
        if (frames.length === MAXIMUM_DEPTH) throw invalidJson(`Deeper than ${MAXIMUM_DEPTH} levels`);
        expectsName = text.charCodeAt(index) === OPEN_OBJECT;
        frame = expectsName ? { names: new Set(), at: "" } : { names: undefined, at: 0 };
        frames.push(frame);
        values++;
        break;
      }
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        frames.pop();
        frame = frames.at(-1);
        expectsName = false;
        break;
      case COMMA:
        expectsName = frame?.names !== undefined;
        if (typeof frame?.at === "number") frame.at++;
        values++;
        break;
      case POINT:
      case UPPER_E:
      case LOWER_E: // also the last letter of true and false
        index = checkNumber(text, index, frames);
        break;
    }
  }
}

/**
 * The value of a JSON text (RFC 8259). Throws `invalid_json` for what is malformed, deeper than `MAXIMUM_DEPTH`, has
 * more than `MAXIMUM_VALUES`, in any object two members of one name or a `__proto__` member, or has a number whose
 * fraction would vanish, all before a value is built. Whole numbers past 2^53 are rounded, as JavaScript's are, so
 * amounts travel as strings.
 */
export function parseJson(text: string): unknown {
  scan(text);
  return parse(text);
}
