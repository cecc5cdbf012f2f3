import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as steps from "../../scripts/steps.ts";
import { isPlain, PLAIN_ON_DENO, selectFiles, stepsFor } from "../../scripts/steps.ts";
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
    const story = "test/flow/key-policy.test.ts";
    const oneStory = "test/flow/first-signature.test.ts";
    const kills = "test/postgres/kills.test.ts";
    const only = "test/postgres/engine.test.ts";
    assert.deepEqual(stepNames([only]), [["postgres", "postgres-deno"]]);
    assert.deepEqual(stepNames([story]), [["bun", "deno"], ["postgres"]]);
    assert.deepEqual(stepNames([oneStory]), [["bun", "deno"], ["postgres", "postgres-deno"]]);
    assert.deepEqual(stepNames([kills]), [["postgres"]]);
  });

  test("runs plain code on Bun, and published vectors of it on Deno too", () => {
    const plain = "test/policy/decide.test.ts";
    const [vectors] = PLAIN_ON_DENO;
    assert.deepEqual(stepNames([plain]), [["bun"]]);
    assert.deepEqual(stepNames([vectors!]), [["bun", "deno"]]);
    assert.deepEqual(
      stepsFor([plain, vectors!], "/tmp").tests.flat().map(({ tests }) => tests.length),
      [2, 1],
    );
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

/**
 * What differs from runtime to runtime, or is a way to it. The primitives of cryptography are handed to plain code: their
 * own tests and WebAuthn's vectors have them on both.
 */
const OF_RUNTIME =
  /^src\/runtime\/(?!crypto\.ts$)|^src\/db\/database\.ts$|^bun\b|^pg$|^node:(?:sqlite|child_process|worker_threads|https?|net|tls|dgram)\b/;

function runtimeImports(file: string): string[] {
  return importClosure(file).filter((path) => OF_RUNTIME.test(path));
}

test("a file that runs on Bun only imports neither a runtime nor the network nor a database", () => {
  const plain = FILES.filter(isPlain);
  assert.ok(plain.length > 50);
  assert.deepEqual(plain.filter((file) => runtimeImports(file).length > 0), []);
  assert.ok(runtimeImports("test/ui/faults.test.ts").includes("node:sqlite"), "through test/support");
  assert.ok(runtimeImports("test/tee/quote/pccs.test.ts").includes("node:http"));
});

test("every test file and folder that a table names is there", () => {
  const named = Object.values(steps).filter(Array.isArray).flat() as string[];
  assert.ok(named.length > 50);
  assert.deepEqual(named.filter((path) => !FILES.includes(path)), []);
});

test("no test file has a hook outside of its suites: files share a module, and it would run for all of them", () => {
  const hooked = FILES.filter((path) =>
    /^(?:before|after)(?:Each)?\(/m.test(readFileSync(join(TESTS, "..", path), "utf8"))
  );
  assert.ok(FILES.length > 100);
  assert.deepEqual(hooked, []);
});
