import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BUN = join(ROOT, "node_modules/.bin/bun");

/** The arguments of each script, as its usage message states them. */
const SCRIPTS: Readonly<Record<string, string>> = {
  build: " [folder] [entry]",
  "clear-signing": " folder",
  "clear-signing-examples": "",
  clients: "",
  openapi: "",
  package: " [folder]",
  release: " [folder] [platform…]",
  routes: "",
  tokens: "",
};

describe("a script with an unknown option", () => {
  for (const [name, words] of Object.entries(SCRIPTS)) {
    test(`${name} does nothing, and prints its usage`, () => {
      const script = `scripts/${name}.ts`;
      const { status, stdout, stderr } = spawnSync(BUN, [script, "--nonsense"], {
        cwd: ROOT,
        encoding: "utf8",
      });
      assert.deepEqual([status, stdout, stderr], [2, "", `usage: bun ${script}${words}\n`]);
      assert.ok(!existsSync(join(ROOT, "--nonsense")));
    });
  }

  test("also with too many arguments", () => {
    const { status, stderr } = spawnSync(BUN, ["scripts/routes.ts", "more"], { cwd: ROOT, encoding: "utf8" });
    assert.deepEqual([status, stderr], [2, "usage: bun scripts/routes.ts\n"]);
  });
});
