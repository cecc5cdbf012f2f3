import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

// `npm run fuzz`: all runs of the random tests; the gate does a tenth. `FUZZ_SEED=7 npm run fuzz` repeats the runs of
// this seed.

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SHARE = "support/share.ts";

const seed = process.env["FUZZ_SEED"] ?? String(randomInt(2 ** 31));
const files = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
  .filter((path) =>
    path.endsWith(".test.ts") && readFileSync(join(ROOT, "test", path), "utf8").includes(SHARE)
  )
  .map((path) => `./${join("test", path)}`);

console.log(`Seed: ${seed}`);
const { status } = spawnSync(
  join(ROOT, "node_modules/.bin/bun"),
  ["test", "--isolate", "--timeout=600000", "--only-failures", ...files],
  { cwd: ROOT, stdio: "inherit", env: { ...process.env, FUZZ: "all", FUZZ_SEED: seed } },
);
process.exitCode = status ?? 1;
