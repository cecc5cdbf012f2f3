import process from "node:process";

/** Returns the arguments of a script. Exits with 2 and the usage if one is an option, or if there are too many. */
export function readArguments(usage: string, most = 0): readonly string[] {
  const words = process.argv.slice(2);
  if (words.length <= most && !words.some((word) => word.startsWith("-"))) return words;
  process.stderr.write(`usage: ${usage}\n`);
  process.exit(2);
}
