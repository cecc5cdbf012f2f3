import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { atOnce, inTurns } from "../../src/lib/cooperative.ts";
import type { Parts } from "../../src/lib/cooperative.ts";

function* count(seen: string[]): Parts<number> {
  for (let part = 0; part < 3; part++) {
    seen.push(`part ${part}`);
    yield;
  }
  return 3;
}

describe("work in parts", () => {
  test("atOnce() does all of it and gives what came of it", () => {
    const seen: string[] = [];
    assert.equal(atOnce(count(seen)), 3);
    assert.deepEqual(seen, ["part 0", "part 1", "part 2"]);
  });

  test("inTurns() waits for a turn between any two parts", async () => {
    const seen: string[] = [];
    const turn = async (): Promise<void> => {
      await Promise.resolve();
      seen.push("turn");
    };
    assert.equal(await inTurns(count(seen), turn), 3);
    assert.deepEqual(seen, ["part 0", "turn", "part 1", "turn", "part 2", "turn"]);
  });

  test("inTurns() rejects with what a part throws", async () => {
    const fault = new Error("fault");
    function* failing(): Parts<number> {
      yield;
      throw fault;
    }
    await assert.rejects(inTurns(failing(), async () => {}), fault);
  });
});
