import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readImports, readSourceCode } from "./source-code.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const known = new Map<string, readonly string[]>();

/** Returns the modules that a file loads directly, without types: paths from the project's root, and specifiers. */
function importsOf(path: string): readonly string[] {
  const found = known.get(path);
  if (found !== undefined) return found;
  const file = join(ROOT, path);
  const isCode = /\.[jt]s$/.test(path) && existsSync(file);
  const { uncommented } = readSourceCode(isCode ? readFileSync(file, "utf8") : "");
  const imports = readImports(uncommented).filter(({ isTypeOnly }) => !isTypeOnly).map(({ specifier }) =>
    specifier.startsWith(".") ? join(dirname(path), specifier) : specifier
  );
  known.set(path, imports);
  return imports;
}

/** Returns every module that is loaded with a file, directly or not. */
export function importClosure(path: string): readonly string[] {
  const seen = new Set([path]);
  for (const module of seen) importsOf(module).forEach((imported) => seen.add(imported));
  return [...seen];
}
