import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));
export const BUN = join(ROOT, "node_modules/.bin/bun");

/**
 * How the one executable is made. No minifying, and the source map inside: a stack trace in a log names the line in
 * git. Bytecode halves the time to the first answer. What happens to lie in the current folder must not configure it.
 */
export const COMPILE_FLAGS = [
  "--compile",
  "--bytecode",
  "--format=esm",
  "--sourcemap=inline",
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
] as const;

/** What `pg` asks for elsewhere alone: in Cloudflare's workers, and where its bindings in C are wanted. */
const EXTERNAL = ["--external=pg-cloudflare", "--external=pg-native"] as const;

/** A file could not be built; the message is what Bun said. */
export class BuildError extends Error {
  constructor(file: string, reason: string) {
    super(`Cannot build ${file}:\n${reason}`);
    this.name = "BuildError";
  }
}

/**
 * Bundles `entry` into `output`. What comes out is the same byte for byte wherever the project lies, as long as the
 * file's name, the sources, the packages and Bun are the same: a name is inside, a path is not.
 */
export function bundle(entry: string, output: string, flags: readonly string[]): void {
  const bun = spawnSync(BUN, ["build", ...EXTERNAL, ...flags, entry, "--outfile", output], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (bun.status !== 0) throw new BuildError(output, `${bun.stderr}${bun.stdout}${bun.error ?? ""}`);
  rmSync(`${output}.map`, { force: true });
}
