import { readFileSync, writeFileSync } from "node:fs";
import { samplesTable } from "../test/clear-signing/table.ts";
import { readArguments } from "./arguments.ts";

// Writes the table of docs/reference/clear-signing-examples.md: `bun scripts/clear-signing-examples.ts`. A test
// compares the file.

readArguments("bun scripts/clear-signing-examples.ts");
const FILE = new URL("../docs/reference/clear-signing-examples.md", import.meta.url);
const text = readFileSync(FILE, "utf8");
const [before, , after] = text.split(/<!-- deno-fmt-ignore-(?:start|end) -->/);
writeFileSync(
  FILE,
  `${before}<!-- deno-fmt-ignore-start -->\n\n${samplesTable()}\n\n<!-- deno-fmt-ignore-end -->${after}`,
);
