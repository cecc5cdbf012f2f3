import process from "node:process";

/** The words that a script was called with. Where one is an option, or there are too many, it says so and ends with 2. */
export function readWords(usage: string, most = 0): readonly string[] {
  const words = process.argv.slice(2);
  if (words.length <= most && !words.some((word) => word.startsWith("-"))) return words;
  process.stderr.write(`usage: ${usage}\n`);
  process.exit(2);
}
