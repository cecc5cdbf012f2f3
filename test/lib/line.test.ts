import assert from "node:assert/strict";
import { test } from "node:test";
import { createLine } from "../../src/lib/line.ts";

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
