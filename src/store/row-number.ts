/** Ids are written with the digits 0 to 9 and a to v. */
const RADIX = 32;
/** Characters of an id that count, behind its prefix: 50 bits, which a JavaScript number holds. */
const LENGTH = 10;

/**
 * The number at which the row of an id is put in its table: the first of its random characters as one number. A row is
 * found by its text in two trees, the text's index and the table by number, and where rows are many each is a page that is
 * nowhere near; by a number that follows from the text it is found in one. It is a hint and no more: a row that is not
 * there is looked for by its id, which is unique.
 */
export function rowNumberOf(id: string): number {
  const start = id.indexOf("_") + 1;
  // What is no id of ours stands anywhere.
  return Number.parseInt(id.slice(start, start + LENGTH), RADIX) || 0;
}
