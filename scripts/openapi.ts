import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { generatedFiles } from "./openapi/files.ts";
import { readArguments } from "./arguments.ts";

const ROOT = new URL("..", import.meta.url);

// `npm run openapi`: writes the files generated from the description. A test compares them.
readArguments("bun scripts/openapi.ts");
for (const [path, text] of await generatedFiles()) {
  writeFileSync(new URL(path, ROOT), text);
  console.log(fileURLToPath(new URL(path, ROOT)));
}
