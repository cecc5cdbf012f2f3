export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Quotes and escapes a name from the document for a message. Cuts names over 64 characters. */
export function quote(name: string): string {
  const quoted = JSON.stringify(name.length > 64 ? name.slice(0, 61) + "..." : name);
  // A control character takes six once it is escaped.
  return quoted.length <= 130 ? quoted : JSON.stringify(name.slice(0, 16) + "...");
}

export function didYouMean(word: string, candidates: Iterable<string>): string {
  const meant = suggest(word, candidates);
  return meant === undefined ? "" : `; did you mean ${quote(meant)}?`;
}

/** Formats member names and indexes as a JSON pointer (RFC 6901). */
export function pointer(segments: readonly (string | number)[]): string {
  return segments.map((key) => "/" + String(key).replaceAll("~", "~0").replaceAll("/", "~1")).join("");
}

const DECIMAL = /^-?(?:0|[1-9][0-9]{0,77})$/;

const HEXADECIMAL = /^0x[0-9a-fA-F]{1,64}$/;

/**
 * Reads a number that a double holds exactly, decimal digits without leading zeros, or 0x-hex without a sign. Calls
 * `refuse` for anything else. `what` names the integer's type or place. Does not check the range.
 */
export function integerOf(value: unknown, what: string, refuse: (fault: string) => never): bigint {
  if (typeof value === "number") {
    if (Number.isSafeInteger(value)) return BigInt(value);
    if (Number.isInteger(value)) refuse("Number beyond 2^53 is not exact: write it as a decimal string");
    refuse(`Expected an integer for ${what}`);
  }
  if (typeof value !== "string") refuse(`Expected an integer or a string of one for ${what}`);
  // The patterns bound the length first, because BigInt's time grows faster than its text.
  if (DECIMAL.test(value) || HEXADECIMAL.test(value)) return BigInt(value);
  refuse(`Expected decimal digits, or 0x and hex digits, for ${what}`);
}

const LONGEST = 64;

/**
 * Returns the candidate equal but for case, or at most two edits away (one if `word` is under four characters). Returns
 * undefined if none is near. Does not compare words over 64 characters, to bound the work.
 */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined;
  let best: string | undefined;
  let bestDistance = word.length < 4 ? 2 : 3;
  for (const candidate of candidates) {
    if (candidate.length > LONGEST || Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Counts insertions, deletions, replacements and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = last[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      let distance = Math.min(replaced, last[column]! + 1, current[column - 1]! + 1);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) distance = Math.min(distance, beforeLast[column - 2]! + 1);
      current.push(distance);
    }
    [beforeLast, last] = [last, current];
  }
  return last[b.length]!;
}
