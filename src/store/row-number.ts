const ALPHABET = "0123456789abcdefghijklmnopqrstuv";
/** Characters of an id that count, behind its prefix: 50 bits, which a JavaScript number holds. */
const LENGTH = 10;

/**
 * The number at which the row of an id is put in its table: the first of its random characters as one number. A row is
 * found by its text in two trees, the text's index and the table by number, and where rows are many each is a page that is
 * nowhere near; by a number that follows from the text it is found in one. It is a hint and no more: a row that is not
 * there is looked for by its id, which is unique.
 */
export function rowNumberOf(id: string): number {
  let number = 0;
  const start = id.indexOf("_") + 1;
  for (let index = start; index < start + LENGTH; index++) {
    number = number * 32 + Math.max(0, ALPHABET.indexOf(id.charAt(index)));
  }
  return number;
}
