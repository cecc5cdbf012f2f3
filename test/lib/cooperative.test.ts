import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runCooperatively, runSync } from "../../src/lib/cooperative.ts";
import type { CooperativeTask } from "../../src/lib/cooperative.ts";

function* count(seen: string[]): CooperativeTask<number> {
  for (let part = 0; part < 3; part++) {
    seen.push(`part ${part}`);
    yield;
  }
  return 3;
}

describe("cooperative tasks", () => {
  test("runSync() runs all parts and returns the result", () => {
    const seen: string[] = [];
    assert.equal(runSync(count(seen)), 3);
    assert.deepEqual(seen, ["part 0", "part 1", "part 2"]);
  });

  test("runCooperatively() pauses between any two parts", async () => {
    const seen: string[] = [];
    const pause = async (): Promise<void> => {
      await Promise.resolve();
      seen.push("turn");
    };
    assert.equal(await runCooperatively(count(seen), pause), 3);
    assert.deepEqual(seen, ["part 0", "turn", "part 1", "turn", "part 2", "turn"]);
  });

  test("runCooperatively() rejects with the error of a part", async () => {
    const fault = new Error("fault");
    function* failing(): CooperativeTask<number> {
      yield;
      throw fault;
    }
    await assert.rejects(runCooperatively(failing(), async () => {}), fault);
  });
});
