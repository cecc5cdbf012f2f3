import assert from "node:assert/strict";
import { test } from "node:test";
import { runIdempotent } from "../../src/ui/browser/idempotency.client.js";

test("runIdempotent() keeps the key of the same content until the job has succeeded", async () => {
  const keys: string[] = [];
  const fail = (key: string): Promise<never> => {
    keys.push(key);
    return Promise.reject(new TypeError("No answer"));
  };
  const succeed = (key: string): Promise<number> => Promise.resolve(keys.push(key));
  await assert.rejects(runIdempotent("a", fail), TypeError);
  await assert.rejects(runIdempotent("a", fail), TypeError);
  assert.equal(await runIdempotent("a", succeed), 3);
  await runIdempotent("a", succeed);
  await assert.rejects(runIdempotent("a", fail), TypeError);
  await runIdempotent("b", succeed);
  const [first, second, third, fourth, fifth, sixth] = keys;
  assert.deepEqual([second, third], [first, first]);
  assert.equal(new Set([first, fourth, fifth, sixth]).size, 4);
});
