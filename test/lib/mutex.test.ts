import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeyedMutex, createMutex } from "../../src/lib/mutex.ts";

test("createMutex() lets one caller in at a time, in the order of the calls, also if one releases twice", async () => {
  const acquire = createMutex();
  const seen: string[] = [];
  const visit = async (name: string): Promise<void> => {
    const release = await acquire();
    seen.push(`${name} in`);
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(`${name} out`);
    release();
    release();
  };
  await Promise.all(["a", "b", "c"].map(visit));
  assert.deepEqual(seen, ["a in", "a out", "b in", "b out", "c in", "c out"]);
  await visit("d");
  assert.equal(seen.at(-1), "d out");
});

test("createKeyedMutex() has a mutex for each name, and callers do not wait for other names", async () => {
  const acquire = createKeyedMutex();
  const seen: string[] = [];
  const releaseA = await acquire("a");
  const second = acquire("a").then((release) => {
    seen.push("a again");
    release();
  });
  (await acquire("b"))();
  seen.push("b");
  releaseA();
  await second;
  (await acquire("a"))();
  assert.deepEqual(seen, ["b", "a again"]);
});
