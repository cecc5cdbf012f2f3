import { readSourceCode, type SourceFile } from "./source-code.ts";

const EXPORTED = /^export (?:abstract |async )*(function|const|class|interface|type)\*? ?([\w$]+)/gm;

/** A published package: its users import from it. */
const PUBLISHED = "client/";

/** Returns how often each word occurs in code. Types that a comment imports count, because a script is typed so. */
function countWords({ path, text }: SourceFile): Map<string, number> {
  const counts = new Map<string, number>();
  const code = path.endsWith(".js") ? text : readSourceCode(text).bare;
  for (const [word] of code.matchAll(/[A-Za-z_$][\w$]*/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/**
 * Returns the exports of the sources that need not be: values that no other file names, and values and types that
 * only tests name. Compares words, so an export with the name of something else can be missed.
 */
export function findUnusedExports(
  sources: readonly SourceFile[],
  programs: readonly SourceFile[],
  tests: readonly SourceFile[],
): readonly string[] {
  const counts = new Map(sources.map((source) => [source, countWords(source)]));
  const inProduct = new Map<string, number>();
  for (const words of [...counts.values(), ...programs.map(countWords)]) {
    for (const word of words.keys()) inProduct.set(word, (inProduct.get(word) ?? 0) + 1);
  }
  const inTests = new Set(tests.flatMap((test) => [...countWords(test).keys()]));
  return sources.filter(({ path }) => !path.startsWith(PUBLISHED)).flatMap((source) =>
    [...readSourceCode(source.text).bare.matchAll(EXPORTED)].flatMap(([, kind, name]) => {
      if (inProduct.get(name!)! > 1) return [];
      const isUsed = counts.get(source)!.get(name!)! > 1;
      if (!isUsed) return [`${source.path}: only tests use ${name}, or nothing`];
      const isType = kind === "interface" || kind === "type";
      return isType || inTests.has(name!)
        ? []
        : [`${source.path}: exports ${name}, which no other file uses`];
    })
  );
}
