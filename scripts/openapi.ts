import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { generatedFiles } from "./openapi/files.ts";

const ROOT = new URL("..", import.meta.url);

// `npm run openapi`: writes what is made from the description of the operations. A test holds the files to it.
for (const [path, text] of await generatedFiles()) {
  writeFileSync(new URL(path, ROOT), text);
  console.log(fileURLToPath(new URL(path, ROOT)));
}
