import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { groupModule } from "../../scripts/group.ts";
import { readJUnit } from "../../scripts/junit.ts";
import { runtimes } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

const FILES: Readonly<Record<string, string>> = {
  "first.test.ts": 'test("one", () => {});',
  "thrown.test.ts": 'test("two", () => {});\nthrow new Error("on the way");\ntest("three", () => {});',
  "missing.test.ts": 'import "./nowhere.ts";',
  "last.test.ts": 'test("four", () => {});',
};

test("groupModule() reports a file that cannot be loaded as a failed test on Deno, and loads the others", () => {
  using folder = temporaryFolder();
  const paths = Object.entries(FILES).map(([name, text]) => {
    const path = join(folder.path, name);
    writeFileSync(path, `import { test } from "node:test";\n${text}\n`);
    return path;
  });
  const [group, report] = ["group.test.ts", "report.xml"].map((name) => join(folder.path, name));
  writeFileSync(group!, groupModule(paths));
  const flags = ["--no-check", "--no-config", "-A", "--reporter=dot", `--junit-path=${report}`];
  const { status } = spawnSync(runtimes()["deno"]![0]!, ["test", ...flags, group!], { timeout: 60_000 });
  assert.notEqual(status, 0);
  const outcomes = readJUnit(readFileSync(report!, "utf8")).tests.map((
    { title, outcome },
  ) => [title, outcome]);
  assert.deepEqual(outcomes, [
    ["one", "passed"],
    ["two", "passed"],
    [`${paths[1]} is loaded`, "failed"],
    [`${paths[2]} is loaded`, "failed"],
    ["four", "passed"],
  ]);
});
