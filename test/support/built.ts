import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCES = ["src", "generated"].map((folder) =>
  fileURLToPath(new URL(`../../${folder}`, import.meta.url))
);

/** The outputs of `npm run build`: the executable, and the JavaScript file for Deno. */
export const EXECUTABLE = fileURLToPath(new URL("../../dist/holdfast", import.meta.url));
export const BUNDLE = `${EXECUTABLE}.js`;

let isFresh: boolean | undefined;

/** Returns true if both were built from the current sources. `npm test` builds them first. */
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
