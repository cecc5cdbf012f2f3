import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { selectFiles, stepsFor } from "../../scripts/steps.ts";

const TESTS = fileURLToPath(new URL("..", import.meta.url));

const ALL = [
  "test/oauth/token/refresh.test.ts",
  "test/oauth.test.ts",
  "test/browser/kit.test.ts",
  "test/a.test.ts",
];

describe("selectFiles()", () => {
  test("takes what stands in a folder, and not what only begins like it", () => {
    assert.deepEqual(selectFiles(ALL, ["test/oauth"]), { files: [ALL[0]], unknown: [] });
  });

  test("takes one file, and paths as a shell completes them", () => {
    assert.deepEqual(selectFiles(ALL, ["./test/oauth/", "test/a.test.ts"]).files, [ALL[0], ALL[3]]);
  });

  test("tells the paths at which there is no test", () => {
    assert.deepEqual(selectFiles(ALL, ["test/oauth", "test/none"]).unknown, ["test/none"]);
  });
});

describe("stepsFor()", () => {
  const stepNames = (files: readonly string[]): string[][] =>
    stepsFor(files, "/tmp").tests.map((lane) => lane.map(({ name }) => name));

  test("runs every file on both runtimes, and those of the browser on one", () => {
    assert.deepEqual(stepNames(ALL), [["bun", "deno"], ["browser"]]);
    const shared = [ALL[3], ALL[1], ALL[0]];
    assert.deepEqual(stepsFor(ALL, "/tmp").tests.flat().map(({ tests }) => tests), [
      shared,
      shared,
      [ALL[2]],
    ]);
  });

  test("runs once what would be the same on both runtimes", () => {
    const once = "test/scripts/release.test.ts";
    assert.deepEqual(stepNames([once]), [["once"]]);
    assert.deepEqual(stepNames([ALL[3]!, once]), [["bun", "deno"], ["once"]]);
  });

  test("runs stories on PostgreSQL too, and what is about it alone nowhere else", () => {
    const story = "test/flow/limits.test.ts";
    const oneStory = "test/flow/first-signature.test.ts";
    const kills = "test/postgres/kills.test.ts";
    const only = "test/postgres/engine.test.ts";
    assert.deepEqual(stepNames([only]), [["postgres", "postgres-deno"]]);
    assert.deepEqual(stepNames([story]), [["bun", "deno"], ["postgres"]]);
    assert.deepEqual(stepNames([oneStory]), [["bun", "deno"], ["postgres", "postgres-deno"]]);
    assert.deepEqual(stepNames([kills]), [["postgres"]]);
  });

  test("has no step without files", () => {
    assert.deepEqual(stepNames([ALL[2]!]), [["browser"]]);
    assert.deepEqual(stepNames([ALL[3]!]), [["bun", "deno"]]);
  });

  test("gives Deno each file once, in a few modules", () => {
    const many = Array.from({ length: 100 }, (_, index) => `test/${String(index).padStart(3, "0")}.test.ts`);
    const deno = stepsFor(many, "/tmp").tests.flat().find(({ name }) => name === "deno")!;
    const groups = deno.groups!;
    assert.ok(groups.size > 1 && groups.size < many.length / 2);
    assert.deepEqual([...groups.values()].flat().sort(), many);
    assert.deepEqual(deno.arguments.filter((argument) => argument.endsWith(".test.ts")), [...groups.keys()]);
  });
});

test("no test file has a hook outside of its suites: files share a module, and it would run for all of them", () => {
  const files = readdirSync(TESTS, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".test.ts")
  );
  const hooked = files.filter((path) =>
    /^(?:before|after)(?:Each)?\(/m.test(readFileSync(join(TESTS, path), "utf8"))
  );
  assert.ok(files.length > 100);
  assert.deepEqual(hooked, []);
});
