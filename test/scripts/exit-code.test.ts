import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { temporaryFolder } from "../support/temporary.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BUN = join(ROOT, "node_modules/.bin/bun");

function run(...words: string[]): { readonly status: number | null; readonly stdout: string } {
  return spawnSync(BUN, words, { cwd: ROOT, encoding: "utf8", timeout: 60_000 });
}

describe("the gate's exit code", () => {
  test("is 1 if something failed", () => {
    const { status, stdout } = run("scripts/check.ts", "test/no-such-folder");
    assert.match(stdout, /^0 passed, 1 failed, 0 skipped$/m);
    assert.equal(status, 1);
  });

  test("is 0 if all passed", () => {
    const { status, stdout } = run("scripts/check.ts", "test/store/bounded-set.test.ts");
    assert.match(stdout, /^[1-9]\d* passed, 0 failed, 0 skipped$/m);
    assert.equal(status, 0);
  });

  test("is also set by a program that can start a database server", () => {
    using folder = temporaryFolder();
    const program = join(folder.path, "program.ts");
    const module = pathToFileURL(join(ROOT, "scripts/postgres.ts")).href;
    writeFileSync(program, `import ${JSON.stringify(module)};\nprocess.exitCode = 3;\n`);
    assert.equal(run(program).status, 3);
  });
});
