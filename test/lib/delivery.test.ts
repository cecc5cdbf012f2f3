import assert from "node:assert/strict";
import { test } from "node:test";
import { backOff, MOST_ATTEMPTS, nextAttempt } from "../../src/lib/delivery.ts";
import { HOUR, SECOND } from "../../src/lib/time.ts";

test("backOff() doubles up to an hour and spreads between 3/4 and 5/4", () => {
  for (const [byte, factor] of [[0, 0.75], [255, 1.25]] as const) {
    const delays = [1, 2, 3, 10, 50, 1000].map((n) => backOff(n, () => Uint8Array.of(byte)));
    const middles = [5000, 10_000, 20_000, 2_560_000, HOUR, HOUR];
    assert.deepEqual(delays, middles.map((middle) => middle * factor));
  }
});

test("nextAttempt() returns undefined after the last attempt, and if the row expires before the next one", () => {
  const middle = () => Uint8Array.of(127);
  const at = nextAttempt({ attempts: 1, expires_at: HOUR }, 0, middle)!;
  assert.ok(Math.abs(at - 5 * SECOND) < SECOND);
  assert.equal(nextAttempt({ attempts: 1, expires_at: at + 1 }, 0, middle), at);
  assert.equal(nextAttempt({ attempts: 1, expires_at: at }, 0, middle), undefined);
  assert.equal(nextAttempt({ attempts: MOST_ATTEMPTS, expires_at: 1e15 }, 0, middle), undefined);
});
