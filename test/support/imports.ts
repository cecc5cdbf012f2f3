import { posix } from "node:path";
import { readImports, readSourceCode } from "./source-code.ts";
import type { SourceFile } from "./source-code.ts";

export function packageOf(specifier: string): string {
  const parts = specifier.split("/");
  return specifier.startsWith("@") ? parts.slice(0, 2).join("/") : parts[0]!;
}

/** Returns the paths of the project files that a file imports. */
export function targetsOf({ path, text }: SourceFile): string[] {
  return readImports(readSourceCode(text).uncommented).filter(({ specifier }) => specifier.startsWith("."))
    .map(({ specifier }) => posix.join(posix.dirname(path), specifier));
}

/**
 * Returns a file and all project files that it imports, directly or not, types included. Throws an Error if one of
 * them does not exist.
 */
export function importClosure(files: readonly SourceFile[], path: string): SourceFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const closure = new Map<string, SourceFile>();
  const pending = [path];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (closure.has(next)) continue;
    const file = byPath.get(next);
    if (file === undefined) throw new Error(`Cannot read imports: ${next} does not exist`);
    closure.set(next, file);
    pending.push(...targetsOf(file));
  }
  return [...closure.values()];
}

/** Returns the paths of the files that import a package, types included. */
export function importersOf(files: readonly SourceFile[], name: string): string[] {
  const imports = ({ text }: SourceFile): boolean =>
    readImports(readSourceCode(text).uncommented).some(({ specifier }) => packageOf(specifier) === name);
  return files.filter(imports).map(({ path }) => path);
}
