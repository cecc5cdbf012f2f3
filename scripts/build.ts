import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BUN = join(ROOT, "node_modules/.bin/bun");

/** What is built: one executable with Bun inside, and one file of JavaScript for Deno (or Bun). */
const TARGETS = [
  // No minifying, and the source map inside: a stack trace in a log names the line in git.
  // Bytecode halves the time to the first answer. What happens to lie in the current folder must not configure it.
  {
    file: "holdfast",
    flags: [
      "--compile",
      "--bytecode",
      "--format=esm",
      "--sourcemap=inline",
      "--no-compile-autoload-dotenv",
      "--no-compile-autoload-bunfig",
    ],
  },
  { file: "holdfast.js", flags: ["--target=node", "--format=esm"] },
] as const;

function build(entry: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const { file, flags } of TARGETS) {
    const output = join(folder, file);
    const bun = spawnSync(BUN, ["build", ...flags, entry, "--outfile", output], {
      cwd: ROOT,
      encoding: "utf8",
    });
    if (bun.status !== 0) {
      console.error(`Cannot build ${file}:\n${bun.stderr}${bun.stdout}${bun.error ?? ""}`);
      process.exit(1);
    }
    rmSync(`${output}.map`, { force: true });
    const bytes = readFileSync(output);
    const megabytes = (bytes.length / 1e6).toFixed(1);
    console.log(`${output}  ${megabytes} MB  sha256 ${createHash("sha256").update(bytes).digest("hex")}`);
  }
}

// `bun scripts/build.ts [folder] [entry]`
build(resolve(process.argv[3] ?? join(ROOT, "src/main.ts")), resolve(process.argv[2] ?? join(ROOT, "dist")));
