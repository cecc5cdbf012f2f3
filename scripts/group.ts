import { pathToFileURL } from "node:url";

/**
 * The text of a module that loads test files, one after the other. One that throws while it is loaded is a failed test
 * of that file's name, and the others are loaded: by itself Deno goes on in silence, without the tests behind the line.
 */
export function groupModule(paths: readonly string[]): string {
  const lines = paths.map((path) => {
    const title = JSON.stringify(`${path} is loaded`);
    const url = JSON.stringify(pathToFileURL(path).href);
    return `await import(${url}).catch((error) => test(${title}, () => Promise.reject(error)));\n`;
  });
  return `import { test } from "node:test";\n${lines.join("")}`;
}
