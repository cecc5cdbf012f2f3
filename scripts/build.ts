import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { BuildError, bundle, COMPILE_FLAGS, ROOT } from "./executable.ts";
import { readArguments } from "./arguments.ts";

/** The targets: one executable with Bun inside, and one JavaScript file for Deno (or Bun). */
const TARGETS = [
  { file: "holdfast", flags: COMPILE_FLAGS },
  { file: "holdfast.js", flags: ["--target=node", "--format=esm"] },
] as const;

function build(entry: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const { file, flags } of TARGETS) {
    const output = join(folder, file);
    bundle(entry, output, flags);
    const bytes = readFileSync(output);
    const megabytes = (bytes.length / 1e6).toFixed(1);
    console.log(`${output}  ${megabytes} MB  sha256 ${createHash("sha256").update(bytes).digest("hex")}`);
  }
}

const [folder = join(ROOT, "dist"), entry = join(ROOT, "src/main.ts")] = readArguments(
  "bun scripts/build.ts [folder] [entry]",
  2,
);
try {
  build(resolve(entry), resolve(folder));
} catch (error) {
  if (!(error instanceof BuildError)) throw error;
  console.error(error.message);
  process.exit(1);
}
