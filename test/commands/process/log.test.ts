import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runProgram, runtimes } from "../../support/program.ts";

const PROGRAM = new URL("../program/log-and-exit.ts", import.meta.url);

function indexes(stdout: string): number[] {
  return stdout.trimEnd().split("\n").map((line) => JSON.parse(line).index);
}

for (const [name, command] of Object.entries(runtimes())) {
  describe(`createLog() on ${name}`, () => {
    test("writes pending lines of the given level and above when the process exits in the same turn", async () => {
      const { code, stdout } = await runProgram(command, PROGRAM, "exit", "info", "debug", "warn", "info");
      assert.equal(code, 3);
      assert.deepEqual(indexes(stdout), [0, 2, 3]);
      assert.match(stdout, /^[\n\x20-\x7e]+$/, "What is in the fields does something to a terminal");
    });

    test("writes pending lines when the process crashes", async () => {
      const { stdout } = await runProgram(command, PROGRAM, "throw", "info", "info");
      assert.deepEqual(indexes(stdout), [0, 1]);
    });
  });
}
