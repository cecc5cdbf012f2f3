import assert from "node:assert/strict";
import { test } from "node:test";
import { runThrottled } from "../../../src/commands/process/throttled.ts";

test("atEase() gives the batch's result after twice the time that it took", async () => {
  const begun = performance.now();
  const result = await runThrottled(async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return 7;
  });
  assert.equal(result, 7);
  assert.ok(performance.now() - begun > 140, "it rested");
});

test("atEase() rejects with what the batch rejects with", async () => {
  await assert.rejects(runThrottled(() => Promise.reject(new RangeError("No"))), RangeError);
});
