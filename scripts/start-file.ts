import { chmodSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import process from "node:process";
import { readArguments } from "./arguments.ts";
import { deleteIdle } from "./delete-idle.ts";
import { BuildError, bundle, COMPILE_FLAGS, ROOT } from "./executable.ts";

// Builds the file that `scripts/start-bun.sh` runs, and deletes those of other sources. Exits 1 if it cannot, for
// instance in a folder that is read-only.

function buildStartFile(output: string): void {
  const folder = dirname(output);
  mkdirSync(folder, { recursive: true });
  // Renamed when it is complete, because another start may look for it meanwhile.
  const unfinished = join(folder, `.${basename(output)}-${process.pid}`);
  try {
    bundle(join(ROOT, "src/main.ts"), unfinished, COMPILE_FLAGS);
    chmodSync(unfinished, 0o755);
    renameSync(unfinished, output);
  } finally {
    rmSync(unfinished, { force: true });
  }
  deleteIdle(folder, basename(output));
}

const USAGE = "bun scripts/start-file.ts OUTPUT";
const [output] = readArguments(USAGE, 1);
try {
  if (output === undefined) throw new BuildError("a file", `usage: ${USAGE}`);
  buildStartFile(resolve(output));
} catch (error) {
  if (!(error instanceof BuildError) && (error as { code?: unknown }).code === undefined) throw error;
  console.error((error as Error).message);
  process.exit(1);
}
