import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { readSourceCode } from "./support/source-code.ts";

const TESTS = fileURLToPath(new URL(".", import.meta.url));

/** Returns the arguments of a call, given the code behind its opening bracket; strings are empty in it. */
function argumentsOf(code: string): string[] {
  const found = [""];
  let depth = 0;
  for (const character of code) {
    if (")]}".includes(character) && depth-- === 0) break;
    if ("([{".includes(character)) depth++;
    if (character === "," && depth === 0) found.push("");
    else found[found.length - 1] += character;
  }
  return found.map((argument) => argument.trim()).filter((argument) => argument !== "");
}

/** Returns the calls of `throws()` and `rejects()` without an expectation, or with a message in its place. */
function vagueExpectations(text: string): string[] {
  const { bare } = readSourceCode(text);
  return [...bare.matchAll(/\bassert\.(?:throws|rejects)\(/g)].filter(({ 0: call, index }) => {
    const [, expected = '""'] = argumentsOf(bare.slice(index + call.length));
    return /^["`]/.test(expected);
  }).map(({ index }) => `line ${bare.slice(0, index).split("\n").length}`);
}

test("every `throws()` and `rejects()` names the expected error", () => {
  const files = readdirSync(TESTS, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".ts")
  );
  const found = files.flatMap((path) =>
    vagueExpectations(readFileSync(join(TESTS, path), "utf8")).map((line) => `${path}: ${line}`)
  );
  assert.ok(files.length > 500);
  assert.deepEqual(found, []);
});

const FAULTS = [
  "assert.throws(() => read(1, 2));",
  "await assert.rejects(\n  read([1, 2], { a, b }),\n);",
  'assert.throws(() => read(")", 1), "reads it");',
  "assert.throws(() => read(/[,)]/), `reads it`);",
];
for (const text of FAULTS) {
  test(`a test of an error that names none is found: ${text.replaceAll("\n", " ")}`, () => {
    assert.equal(vagueExpectations(text).length, 1);
  });
}

const SOUND = ["assert.throws(() => read(1), RangeError);", 'assert.rejects(read(","), /a, b/, "reads it");'];
for (const text of SOUND) {
  test(`a test of an error that names it is not: ${text}`, () =>
    assert.deepEqual(vagueExpectations(text), []));
}
