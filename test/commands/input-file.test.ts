import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../support/temporary.ts";
import { programs, runConfigured, skipReason, titleOf } from "./run-command.ts";

const TIMEOUT = { timeout: 60_000 };
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ENDLESS = "/dev/zero";
const EXPECTED = /^holdfast: (?:\/dev\/zero|Standard input) is too long: \d+ MiB are read at most\n$/;

/** Calls that read a file without an end. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  "the quote": ["verify-quote", ENDLESS, "--collateral", "none"],
  "an export": ["verify-audit", "--export", ENDLESS],
};

for (const [name, program] of Object.entries(programs())) {
  describe(`a file without an end on ${titleOf(name)}`, { skip: skipReason(program) }, () => {
    for (const [what, call] of Object.entries(CALLS)) {
      test(`as ${what} is refused with a message`, TIMEOUT, async () => {
        using folder = temporaryFolder();
        const { code, stdout, stderr } = await runConfigured(program, { DATA_DIR: folder.path }, ...call);
        assert.match(stderr, EXPECTED);
        assert.deepEqual([code, stdout], [2, ""]);
      });
    }

    test("by standard input is refused with a message", TIMEOUT, () => {
      const line = 'exec "$0" "$@" </dev/zero';
      const words = ["-c", line, ...program, "verify-quote", "-", "--collateral", "none"];
      const { status, stdout, stderr } = spawnSync("/bin/sh", words, { cwd: ROOT, encoding: "utf8" });
      assert.match(stderr, EXPECTED);
      assert.deepEqual([status, stdout], [2, ""]);
    });
  });
}
