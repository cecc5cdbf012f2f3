import { suggest } from "./suggest.ts";

/** Whether the value is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A name from the document for use in a message: quoted, escaped, and cut when it is long. */
export function quote(name: string): string {
  return JSON.stringify(name.length > 64 ? name.slice(0, 61) + "..." : name);
}

/** The end of a message that proposes the nearest candidate, if one is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const meant = suggest(word, candidates);
  return meant === undefined ? "" : `; did you mean ${quote(meant)}?`;
}

/** The JSON pointer (RFC 6901) that leads along these member names and indexes. */
export function pointer(trail: readonly (string | number)[]): string {
  return trail.map((key) => "/" + String(key).replaceAll("~", "~0").replaceAll("/", "~1")).join("");
}

const DECIMAL = /^-?(?:0|[1-9][0-9]{0,77})$/;
const HEXADECIMAL = /^0x[0-9a-fA-F]{1,64}$/;

/**
 * An integer as JSON writes it: a number that a double holds exactly, decimal digits without leading zeros, or 0x-hex
 * of a magnitude. `refuse` is told what is wrong with anything else; `what` is the name of the integer's type or
 * place. The range is not checked.
 */
export function integerOf(value: unknown, what: string, refuse: (fault: string) => never): bigint {
  if (typeof value === "number") {
    if (Number.isSafeInteger(value)) return BigInt(value);
    if (Number.isInteger(value)) refuse("Number beyond 2^53 is not exact: write it as a decimal string");
    refuse(`Expected an integer for ${what}`);
  }
  if (typeof value !== "string") refuse(`Expected an integer or a string of one for ${what}`);
  // The patterns bound the length first: BigInt's time grows faster than its text.
  if (DECIMAL.test(value) || HEXADECIMAL.test(value)) return BigInt(value);
  refuse(`Expected decimal digits, or 0x and hex digits, for ${what}`);
}
