import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { execFile } from "node:child_process";
import { runtimes } from "../../support/program.ts";

const PROGRAM = fileURLToPath(new URL("../program/print-much.ts", import.meta.url));

/** Returns the program's exit code and standard error, with its output redirected by a shell. */
async function printTo(output: string, command: readonly string[], kind: "answer" | "log"): Promise<string> {
  const line = `{ "$@"; echo "ended $?" >&2; } ${output}`;
  const { stderr } = await promisify(execFile)("sh", ["-c", line, "sh", ...command, PROGRAM, kind]);
  return stderr;
}

const NOWHERE = [
  ["a reader that goes away", "| head -c 1 > /dev/null", ""],
  ["a full disk", "> /dev/full", "holdfast: Cannot write to standard output (ENOSPC)\n"],
] as const;

for (const [name, command] of Object.entries(runtimes())) {
  for (const [what, output, word] of NOWHERE) {
    describe(`on ${name} ${what}`, () => {
      test("printLog() continues", async () => {
        assert.equal(await printTo(output, command, "log"), "went on\nended 0\n");
      });

      test("printResult() ends the command, with a message if there is one to print", async () => {
        assert.equal(await printTo(output, command, "answer"), `${word}ended 1\n`);
      });
    });
  }
}
