import assert from "node:assert/strict";
import { test } from "node:test";
import { createLine, createLines } from "../../src/lib/mutex.ts";

test("createLine() lets one in at a time, in the order in which they came, and only once each", async () => {
  const line = createLine();
  const seen: string[] = [];
  const visit = async (name: string): Promise<void> => {
    const leave = await line();
    seen.push(`${name} in`);
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(`${name} out`);
    leave();
    leave();
  };
  await Promise.all(["a", "b", "c"].map(visit));
  assert.deepEqual(seen, ["a in", "a out", "b in", "b out", "c in", "c out"]);
  await visit("d");
  assert.equal(seen.at(-1), "d out");
});

test("createLines() has a line for each name, and callers do not wait for other names", async () => {
  const lineOf = createLines();
  const seen: string[] = [];
  const leaveA = await lineOf("a");
  const second = lineOf("a").then((leave) => {
    seen.push("a again");
    leave();
  });
  (await lineOf("b"))();
  seen.push("b");
  leaveA();
  await second;
  (await lineOf("a"))();
  assert.deepEqual(seen, ["b", "a again"]);
});
