import assert from "node:assert/strict";
import { test } from "node:test";
import { join } from "../../src/lib/bytes.ts";

test("join() takes a megabyte that came byte by byte", () => {
  const parts = Array.from({ length: 1 << 20 }, (_, index) => Uint8Array.of(index & 0xff));
  const whole = join(parts);
  assert.equal(whole.length, 1 << 20);
  assert.ok(whole.every((byte, index) => byte === (index & 0xff)));
});

test("join() of nothing is empty", () => {
  assert.deepEqual(join([]), new Uint8Array());
});
