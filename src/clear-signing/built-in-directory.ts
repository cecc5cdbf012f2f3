import { builtInDescriptors } from "./descriptor/built-in.ts";
import { createDirectory, type Directory } from "./directory.ts";

let directory: Directory | undefined;

/** Returns the built-in lists. Reads them on first access, so that a start does not wait for them. */
export function builtInDirectory(): Directory {
  return directory ??= createDirectory([], builtInDescriptors());
}
