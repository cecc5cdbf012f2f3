import assert from "node:assert/strict";
import { test } from "node:test";
import { collect, join } from "../../src/lib/bytes.ts";

test("join() joins a megabyte of single bytes", () => {
  const parts = Array.from({ length: 1 << 20 }, (_, index) => Uint8Array.of(index & 0xff));
  const whole = join(parts);
  assert.equal(whole.length, 1 << 20);
  assert.ok(whole.every((byte, index) => byte === (index & 0xff)));
});

test("join() of nothing is empty", () => {
  assert.deepEqual(join([]), new Uint8Array());
});

async function* sendBytes(count: number): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < count; sent++) yield Uint8Array.of(sent);
}

test("collect() reads up to its limit and not a byte more", async () => {
  const tooLarge = (): Error => new Error("Too large");
  assert.deepEqual(await collect(sendBytes(3), 3, tooLarge), Uint8Array.of(0, 1, 2));
  await assert.rejects(collect(sendBytes(4), 3, tooLarge), /Too large/);
});
