import { ProtocolError } from "./error.ts";

/** The maximum nesting of arrays and objects. */
export const MAXIMUM_DEPTH = 64;

/** The maximum number of values, including objects and arrays. The length of a text does not bound their cost. */
export const MAXIMUM_VALUES = 16_384;

/** The characters of a text that take up to a millisecond to parse. */
export const JSON_PART = 128 * 1024;

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

/** The longest name of a member or parameter that a response repeats. */
const SHOWN_NAME_LENGTH = 64;

export function shownName(name: string): string {
  return name.length > SHOWN_NAME_LENGTH ? name.slice(0, SHOWN_NAME_LENGTH) + "…" : name;
}

/** Formats a JSON pointer (RFC 6901). Cuts long names. */
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

/** Returns the index of the quote that closes the string whose content begins at `start`. */
function closingQuote(text: string, start: number): number {
  for (let quote = text.indexOf('"', start); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return quote;
  }
  throw invalidJson("Malformed text");
}

/** Calls JSON.parse, but without its message, which repeats the input. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidJson("Malformed text");
  }
}

/** Adds a member name in its encoded form: `"a"` and `"\u0061"` are one name. */
function noteName(raw: string, names: Set<string>, frame: Frame, frames: readonly Frame[]): void {
  const name = raw.includes("\\") ? String(parse(`"${raw}"`)) : raw;
  const isDuplicate = names.has(name);
  names.add(name);
  frame.at = name;
  if (isDuplicate) throw invalidJson("Duplicate member", frames.map(({ at }) => at));
  if (name === "__proto__") throw invalidJson("Forbidden member", frames.map(({ at }) => at));
}

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Returns true for a character of a number. A regular expression would cost more than all the rest. */
function isInNumber(code: number): boolean {
  return (code >= ZERO && code <= NINE) || code === POINT || code === MINUS || code === PLUS ||
    code === LOWER_E || code === UPPER_E;
}

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
 * Returns true if JavaScript reads a JSON number with a fraction as an integer: 9007199254740990.6 becomes …91, and
 * 1e-400 becomes 0. Does not check integers past 2^53, which are rounded too: the caller sees them by their size.
 */
function losesFraction(token: string): boolean {
  if (!Number.isSafeInteger(Number(token))) return false;
  const [, whole, fraction = "", exponent = "0"] = NUMBER.exec(token) ?? [];
  if (whole === undefined) return false;
  const digits = whole + fraction;
  // Not /0+$/, which is slow on a long run of zeros before the end.
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === ZERO) end--;
  return end > 0 && Number(exponent) + whole.length < end;
}

/** Checks a number with a point or an exponent, and returns the index of its last character. */
function checkNumber(text: string, index: number, frames: readonly Frame[]): number {
  const { token, end } = numberAround(text, index);
  if (losesFraction(token)) {
    throw invalidJson("Number with a fraction that is too small", frames.map(({ at }) => at));
  }
  return end - 1;
}

/** Checks structure and numbers in one pass. Leaves malformed texts for JSON.parse to refuse. */
function scan(text: string): void {
  const frames: Frame[] = [];
  let frame: Frame | undefined;
  let expectsName = false;
  // Each opening and each comma adds at most one value.
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
 * Parses a JSON text (RFC 8259). Throws `invalid_json` before it creates any value: for malformed text, exceeded
 * limits, duplicate and `__proto__` members, and numbers whose fraction would vanish. Rounds integers past 2^53, so
 * amounts must be strings.
 */
export function parseJson(text: string): unknown {
  scan(text);
  return parse(text);
}
