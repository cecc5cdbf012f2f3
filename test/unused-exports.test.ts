import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readCode } from "./support/source-code.ts";
import { findUnusedExports } from "./support/unused-exports.ts";

test("each export of src/ is used by another file, and not by tests alone", () => {
  const sources = readCode("src");
  const tests = readCode("test");
  assert.ok(sources.length > 500 && tests.length > 500, "The files were not found");
  assert.deepEqual(findUnusedExports(sources, [...readCode("scripts"), ...readCode("bench")], tests), []);
});

describe("findUnusedExports()", () => {
  const SOURCE = { path: "a.ts", text: "export const one = 1;\nexport function two() {}" };
  const NAMED_ALONE = "exports one, which no other file uses";

  test("finds a value that only its own file uses", () => {
    const source = { path: "a.ts", text: "export const one = 1;\nconst two = one;" };
    assert.deepEqual(findUnusedExports([source], [], []), [`a.ts: ${NAMED_ALONE}`]);
    assert.deepEqual(findUnusedExports([source], [], [{ path: "b.ts", text: "one();" }]), []);
  });

  test("finds what only tests use, and what nothing uses", () => {
    const uses = { path: "b.ts", text: "one + two()" };
    const faults = ["a.ts: only tests use one, or nothing", "a.ts: only tests use two, or nothing"];
    assert.deepEqual(findUnusedExports([SOURCE], [], [uses]), faults);
    assert.deepEqual(findUnusedExports([SOURCE], [], []), faults);
    assert.deepEqual(findUnusedExports([SOURCE, uses], [], []), []);
    assert.deepEqual(findUnusedExports([SOURCE], [uses], []), []);
  });

  test("does not count a comment or a string as a use", () => {
    const mention = { path: "b.ts", text: 'const text = "one"; // two()' };
    assert.equal(findUnusedExports([SOURCE, mention], [], []).length, 2);
  });

  test("finds an unused type, and leaves one that its own file uses", () => {
    const source = { path: "a.ts", text: "export interface A {}\nexport type B = string;\nconst c: A = {};" };
    assert.deepEqual(findUnusedExports([source], [], []), ["a.ts: only tests use B, or nothing"]);
    const script = { path: "b.client.js", text: '/** @param {import("./a.ts").B} b */' };
    assert.deepEqual(findUnusedExports([source, script], [], []), []);
  });
});
