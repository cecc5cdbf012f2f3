import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createProgress, showPart } from "../../../src/commands/process/progress.ts";
import type { Progress } from "../../../src/commands/process/progress.ts";

const MIB = 1024 * 1024;

/** Creates a progress with a manual clock, and a function that returns the output since its last call. */
function watched(
  { bytes = MIB, isTerminal = true } = {},
): { readonly progress: Progress; readonly set: (at: number) => void; readonly written: () => string } {
  let [at, text] = [0, ""];
  const write = (more: string): void => void (text += more);
  const progress = createProgress(bytes, { isTerminal, write, now: () => at });
  const written = (): string => {
    const all = text;
    text = "";
    return all;
  };
  return { progress, set: (value) => at = value, written };
}

describe("createProgress()", () => {
  test("prints nothing for two seconds, then the current step, and clears its line", () => {
    const { progress, set, written } = watched();
    progress.show("one");
    set(1999);
    progress.show("two");
    assert.equal(written(), "");
    progress.end();
    assert.equal(written(), "");
    set(2000);
    progress.show("three");
    assert.equal(written(), "\r\x1b[Kthree …");
    progress.end();
    assert.equal(written(), "\r\x1b[K");
  });

  test("prints the step at once for a large database", () => {
    const { progress, written } = watched({ bytes: 128 * MIB });
    progress.show("one");
    assert.equal(written(), "\r\x1b[Kone …");
  });

  test("counts four times a second at most, and prints the next step at once", () => {
    const { progress, set, written } = watched();
    set(5000);
    showPart(progress)("chain", 1000);
    written();
    set(5100);
    showPart(progress)("chain", 2000);
    assert.equal(written(), "");
    showPart(progress)("rows", 0);
    assert.match(written(), /checking rows: 0/);
    set(5350);
    showPart(progress)("rows", 3000);
    assert.match(written(), /checking rows: 3000/);
  });

  test("prints nothing without a terminal", () => {
    const { progress, set, written } = watched({ isTerminal: false, bytes: 128 * MIB });
    set(60_000);
    progress.show("one");
    progress.end();
    assert.equal(written(), "");
  });
});
