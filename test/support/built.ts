import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCES = ["src", "generated"].map((folder) =>
  fileURLToPath(new URL(`../../${folder}`, import.meta.url))
);

/** What `npm run build` makes: the one executable, and the one file of JavaScript for Deno. */
export const EXECUTABLE = fileURLToPath(new URL("../../dist/holdfast", import.meta.url));
export const BUNDLE = `${EXECUTABLE}.js`;

let isFresh: boolean | undefined;

/** Whether both were built from the sources as they are now. `npm test` builds them first. */
export function isBuilt(): boolean {
  return isFresh ??= isNewerThanSources();
}

function isNewerThanSources(): boolean {
  const times = [EXECUTABLE, BUNDLE].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const built = Math.min(...times);
  const paths = SOURCES.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path))
  );
  return paths.every((path) => statSync(path).mtimeMs <= built);
}
