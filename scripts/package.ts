import { join, resolve } from "node:path";
import process from "node:process";
import { BuildError, ROOT } from "./executable.ts";
import { buildPackage } from "./npm-package.ts";
import { readArguments } from "./arguments.ts";

const [place = join(ROOT, "dist/npm")] = readArguments("bun scripts/package.ts [folder]", 1);
const folder = resolve(place);
try {
  buildPackage(folder);
  console.log(folder);
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  process.exit(1);
}
