import { pathToFileURL } from "node:url";

/**
 * Returns the source of a module that loads test files one after the other. A file that throws while it is loaded
 * becomes a failed test of that name, and the others are still loaded. Deno alone would silently skip the tests after
 * the line.
 */
export function groupModule(paths: readonly string[]): string {
  const lines = paths.map((path) => {
    const title = JSON.stringify(`${path} is loaded`);
    const url = JSON.stringify(pathToFileURL(path).href);
    return `await import(${url}).catch((error) => test(${title}, () => Promise.reject(error)));\n`;
  });
  return `import { test } from "node:test";\n${lines.join("")}`;
}
