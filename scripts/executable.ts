import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));
export const BUN = join(ROOT, "node_modules/.bin/bun");

/**
 * The flags of the executable. Not minified and with the source map, so that a stack trace in a log names the line in
 * git. Bytecode halves the time to the first response. Files in the current folder must not configure it.
 */
export const COMPILE_FLAGS = [
  "--compile",
  "--bytecode",
  "--format=esm",
  "--sourcemap=inline",
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
] as const;

/** Packages that `pg` imports only in Cloudflare's workers, and for its native bindings. */
const EXTERNAL = ["--external=pg-cloudflare", "--external=pg-native"] as const;

/** A failed build. The message is Bun's output. */
export class BuildError extends Error {
  constructor(file: string, reason: string) {
    super(`Cannot build ${file}:\n${reason}`);
    this.name = "BuildError";
  }
}

/**
 * Bundles `entry` into `output`. The same file name, sources, packages and Bun give the same bytes wherever the
 * project is: the output has the name in it, but no path.
 */
export function bundle(entry: string, output: string, flags: readonly string[]): void {
  const bun = spawnSync(BUN, ["build", ...EXTERNAL, ...flags, entry, "--outfile", output], {
    cwd: ROOT,
    encoding: "utf8",
  });
  if (bun.status !== 0) throw new BuildError(output, `${bun.stderr}${bun.stdout}${bun.error ?? ""}`);
  rmSync(`${output}.map`, { force: true });
}
