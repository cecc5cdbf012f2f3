import { join, resolve } from "node:path";
import process from "node:process";
import { BuildError, ROOT } from "./executable.ts";
import { buildPackage } from "./npm-package.ts";

// `bun scripts/package.ts [folder]`
const folder = resolve(process.argv[2] ?? join(ROOT, "dist/npm"));
try {
  buildPackage(folder);
  console.log(folder);
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  process.exit(1);
}
