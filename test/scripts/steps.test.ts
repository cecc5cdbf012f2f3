import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { selectFiles, stepsFor } from "../../scripts/steps.ts";
import * as lists from "../../scripts/test-lists.ts";
import { importClosure } from "../support/import-closure.ts";

const TESTS = fileURLToPath(new URL("..", import.meta.url));
const FILES = readdirSync(TESTS, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".test.ts")).map((path) => join("test", path)).sort();

const ALL = [
  "test/oauth/token/refresh.test.ts",
  "test/oauth.test.ts",
  "test/browser/kit.test.ts",
  "test/a.test.ts",
];

describe("selectFiles()", () => {
  test("returns the files of a folder, and not of another with the same prefix", () => {
    assert.deepEqual(selectFiles(ALL, ["test/oauth"]), { files: [ALL[0]], unknown: [] });
  });

  test("accepts one file, and paths as a shell completes them", () => {
    assert.deepEqual(selectFiles(ALL, ["./test/oauth/", "test/a.test.ts"]).files, [ALL[0], ALL[3]]);
  });

  test("reports the paths without a test", () => {
    assert.deepEqual(selectFiles(ALL, ["test/oauth", "test/none"]).unknown, ["test/none"]);
  });
});

describe("stepsFor()", () => {
  const stepNames = (files: readonly string[]): string[][] =>
    stepsFor(files, "/tmp").tests.map((lane) => lane.map(({ name }) => name));

  test("runs every file on Bun, and the files of a table on Deno too", () => {
    const both = ["test/db/sweep.test.ts", "test/lib/time.test.ts"];
    assert.deepEqual(stepNames([...ALL, ...both]), [["bun"], ["browser", "deno"]]);
    assert.deepEqual(stepsFor([...ALL, ...both], "/tmp").tests.flat().map(({ tests }) => tests), [
      [ALL[3], ...both.slice(0, 1), ...both.slice(1), ALL[1], ALL[0]],
      [ALL[2]],
      both,
    ]);
    assert.deepEqual(stepNames(["test/lib/text.test.ts", "test/database.test.ts"]), [["bun"]]);
  });

  test("runs a file once that is the same on both runtimes", () => {
    const once = "test/scripts/release.test.ts";
    assert.deepEqual(stepNames([once]), [["once"]]);
    assert.deepEqual(stepNames([ALL[3]!, once]), [["bun"], ["once"]]);
  });

  test("runs the tests of a table on PostgreSQL too, and the tests about PostgreSQL only there", () => {
    const story = "test/flow/hostile-database.test.ts";
    const oneStory = "test/flow/first-signature.test.ts";
    const kills = "test/postgres/kills.test.ts";
    const only = "test/postgres/engine.test.ts";
    assert.deepEqual(stepNames([only]), [["postgres", "postgres-deno"]]);
    assert.deepEqual(stepNames([story]), [["bun"], ["deno"], ["postgres"]]);
    assert.deepEqual(stepNames([oneStory]), [["bun"], ["deno"], ["postgres", "postgres-deno"]]);
    assert.deepEqual(stepNames([kills]), [["postgres"]]);
  });

  test("has no step without files", () => {
    assert.deepEqual(stepNames([ALL[2]!]), [["browser"]]);
    assert.deepEqual(stepNames([ALL[3]!]), [["bun"]]);
  });

  test("runs each file once on Deno, in a few modules", () => {
    const many = Array.from(
      { length: 100 },
      (_, index) => `test/db/${String(index).padStart(3, "0")}.test.ts`,
    );
    const deno = stepsFor(many, "/tmp").tests.flat().find(({ name }) => name === "deno")!;
    const groups = deno.groups!;
    assert.ok(groups.size > 1 && groups.size < many.length / 2);
    assert.deepEqual([...groups.values()].flat().sort(), many);
    assert.deepEqual(deno.arguments.filter((argument) => argument.endsWith(".test.ts")), [...groups.keys()]);
  });
});

test("the tests on Deno load every module of the service that is not a command", () => {
  const onDeno = stepsFor(FILES, "/tmp").tests.flat().find(({ name }) => name === "deno")!.tests;
  const loaded = new Set(onDeno.flatMap(importClosure));
  const service = importClosure("src/main.ts").filter((path) =>
    path.startsWith("src/") && path !== "src/main.ts" && !path.startsWith("src/commands/")
  );
  assert.ok(service.length > 500);
  assert.deepEqual(service.filter((path) => !loaded.has(path)), []);
});

test("every test file and folder that a table names exists", () => {
  const named = Object.values(lists).filter(Array.isArray).flat() as string[];
  assert.ok(named.length > 50);
  const isThere = (path: string): boolean => FILES.some((file) => `${file}/`.startsWith(`${path}/`));
  assert.deepEqual(named.filter((path) => !isThere(path)), []);
});

test("no test file has a hook outside of its suites: because files share a module, for all of which it would run", () => {
  const hooked = FILES.filter((path) =>
    /^(?:before|after)(?:Each)?\(/m.test(readFileSync(join(TESTS, "..", path), "utf8"))
  );
  assert.ok(FILES.length > 100);
  assert.deepEqual(hooked, []);
});
