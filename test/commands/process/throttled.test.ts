import assert from "node:assert/strict";
import { test } from "node:test";
import { runThrottled } from "../../../src/commands/process/throttled.ts";

test("runThrottled() returns the batch's result after a pause as long as the batch", async () => {
  const start = performance.now();
  const result = await runThrottled(async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return 7;
  });
  assert.equal(result, 7);
  assert.ok(performance.now() - start > 140, "it paused");
});

test("runThrottled() rejects with the error of the batch", async () => {
  await assert.rejects(runThrottled(() => Promise.reject(new RangeError("No"))), RangeError);
});
