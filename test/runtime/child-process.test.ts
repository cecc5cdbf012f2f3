import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, test } from "node:test";
import { startProgram } from "../../src/runtime/child-process.ts";
import { OWN_RUNTIME, runProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}

describe("startProgram()", () => {
  test("yields output, errors and the exit code", async () => {
    const child = startProgram(["/bin/sh", "-c", "echo out; echo err >&2; exit 3"], {});
    assert.deepEqual(await Promise.all([textOf(child.output), textOf(child.errors), child.ended]), [
      "out\n",
      "err\n",
      3,
    ]);
  });

  test("yields 127 and no output of a program that does not exist", async () => {
    const child = startProgram(["/nowhere/program"], {});
    assert.deepEqual(await Promise.all([textOf(child.output), textOf(child.errors), child.ended]), [
      "",
      "",
      127,
    ]);
  });
});

describe("startAgain()", () => {
  const isElsewhere = OWN_RUNTIME === "deno" || process.platform !== "linux";
  const skip = isElsewhere ? "Only Bun on Linux names the file that runs" : false;
  for (const act of ["deletion", "replacement"]) {
    test(`starts the program that runs, after a ${act} of its file`, { skip }, async () => {
      using folder = temporaryFolder();
      const runtime = join(folder.path, "runtime");
      copyFileSync(process.execPath, runtime);
      const program = new URL("program/start-again.ts", import.meta.url);
      const { code, stdout, stderr } = await runProgram([runtime], program, act, runtime);
      assert.deepEqual({ code, stdout, stderr }, { code: 0, stdout: "started again\n", stderr: "" });
    });
  }
});
