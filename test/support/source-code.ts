import { readdirSync, readFileSync } from "node:fs";
import { sep } from "node:path";

/** A file of `src/` or another folder, its path relative to that folder. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Returns the TypeScript and JavaScript files below a folder of the project. */
export function readCode(folder: string): SourceFile[] {
  const root = new URL(`../../${folder}/`, import.meta.url);
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).map((path) =>
    path.split(sep).join("/")
  );
  const code = paths.filter((path) => /\.(?:ts|js)$/.test(path));
  return code.map((path) => ({ path, text: readFileSync(new URL(path, root), "utf8") }));
}

/** A source file in two readings. */
export interface SourceCode {
  /** The code alone: comments removed, every string, pattern and template text empty. */
  readonly bare: string;
  /** The code with its strings, comments removed. Import lines can be read from it. */
  readonly uncommented: string;
}

/** A `/` after one of these begins a pattern; after anything else it divides. */
const BEFORE_PATTERN = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|of|in))\s*$/;

const TOKENS = {
  comment: /\/\/[^\n]*|\/\*[\s\S]*?\*\//y,
  string: /"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*'/y,
  pattern: /\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y,
  plain: /[^"'`/{}]+/y,
  templateText: /(?:\\[\s\S]|\$(?!\{)|[^`\\$])+/y,
} as const;

function match(token: keyof typeof TOKENS, text: string, at: number): string | undefined {
  const pattern = TOKENS[token];
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** Splits code from comments and strings, so that prose does not break a rule about words. */
export function readSourceCode(text: string): SourceCode {
  let bare = "";
  let uncommented = "";
  // The number of open braces in each surrounding template hole; -1 stands for the text of a template.
  const nesting: number[] = [0];
  const take = (token: string, inBare: string, inUncommented = token): number => {
    bare += inBare;
    uncommented += inUncommented;
    return token.length;
  };
  for (let at = 0; at < text.length;) {
    const depth = nesting.at(-1)!;
    const two = text.slice(at, at + 2);
    if (depth === -1) {
      const words = match("templateText", text, at);
      if (words !== undefined) at += take(words, "");
      else if (two === "${") at += (nesting.push(0), take(two, two));
      else at += (nesting.pop(), take("`", "`"));
      continue;
    }
    const plain = match("plain", text, at);
    if (plain !== undefined) {
      at += take(plain, plain);
      continue;
    }
    const comment = match("comment", text, at);
    const string = match("string", text, at);
    const mayBePattern = two[0] === "/" && BEFORE_PATTERN.test(bare.slice(-20));
    const pattern = mayBePattern ? match("pattern", text, at) : undefined;
    if (comment !== undefined) at += take(comment, " ", " ");
    else if (string !== undefined) at += take(string, '""');
    else if (pattern !== undefined) at += take(pattern, "/./");
    else {
      if (two[0] === "`") nesting.push(-1);
      if (two[0] === "{") nesting[nesting.length - 1] = depth + 1;
      if (two[0] === "}" && depth > 0) nesting[nesting.length - 1] = depth - 1;
      if (two[0] === "}" && depth === 0) nesting.pop();
      at += take(two[0]!, two[0]!);
    }
  }
  return { bare, uncommented };
}

/** One import (or re-export) of a file. */
export interface Import {
  readonly specifier: string;
  readonly isTypeOnly: boolean;
}

const IMPORT =
  /\b(?:import|export)\s+(type\s)?[^"';()]*?\bfrom\s*["']([^"']+)["']|\bimport\s*\(?\s*["']([^"']+)["']/g;

/** Returns all imports of a file, static or dynamic, and its re-exports. */
export function readImports(uncommented: string): Import[] {
  return [...uncommented.matchAll(IMPORT)].map(([, type, from, bare]) => ({
    specifier: from ?? bare!,
    isTypeOnly: type !== undefined,
  }));
}
