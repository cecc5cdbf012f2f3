import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { refusalsOf } from "../../../src/commands/process/refusal.ts";
import { temporaryFolder } from "../../support/temporary.ts";

describe("refusalsOf()", () => {
  const FAULTS:
    readonly (readonly [what: string, job: (path: string) => Promise<unknown>, expected: RegExp])[] = [
      [
        "a file that is not there",
        (path) => readFile(join(path, "none")),
        /none cannot be used: it does not exist,/,
      ],
      [
        "a folder that is not there",
        (path) => open(join(path, "none", "file"), "wx"),
        /file cannot be used: it does not exist, or its folder does not \(ENOENT\)$/,
      ],
      ["a folder in place of a file", (path) => readFile(path), /cannot be used: it is a folder \(EISDIR\)$/],
      [
        "a file in place of a folder",
        (path) => open(join(path, "file", "below"), "r"),
        /cannot be used: a part of its path is not a folder \(ENOTDIR\)$/,
      ],
      [
        "a file in the way of a folder",
        (path) => mkdir(join(path, "file"), { recursive: true }),
        /file cannot be used: something else has that name \(EEXIST\)$/,
      ],
      [
        "too long a name",
        (path) => readFile(join(path, "x".repeat(300))),
        /its name is too long \(ENAMETOOLONG\)$/,
      ],
    ];
  for (const [what, job, expected] of FAULTS) {
    test(`describes the fault of ${what}`, async () => {
      using folder = temporaryFolder();
      const path = join(folder.path, "folder");
      mkdirSync(path);
      writeFileSync(join(path, "file"), "");
      await assert.rejects(job(path), (error) => {
        const refusals = refusalsOf(error)!;
        assert.equal(refusals.length, 1);
        assert.match(refusals[0]!, expected);
        assert.doesNotMatch(refusals[0]!, /^E|no such file|, open /);
        return true;
      });
    });
  }

  test("returns undefined for an internal error", () => {
    assert.equal(refusalsOf(new TypeError("Cannot")), undefined);
    assert.equal(refusalsOf(Object.assign(new Error("x"), { code: "constructor" })), undefined);
    assert.equal(refusalsOf("text"), undefined);
  });
});
