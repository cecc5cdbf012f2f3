import assert from "node:assert/strict";
import process from "node:process";

/** Four times the input takes four times as long for linear work, and sixteen times for quadratic. */
const FACTOR = 4;
const MOST = 10;
const ATTEMPTS = 5;
/** Milliseconds below which the clock is too coarse: quadratic work on the large input takes far longer. */
const TOO_SHORT = 10;

/** Returns the processor time of work in milliseconds. Other processes do not change it. */
function timeOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Asserts that the time of work grows linearly with its input. One of several attempts is enough, because the compiler
 * and the garbage collector disturb single ones.
 */
export function assertLinear(work: (size: number) => void, size: number): void {
  const ratios: number[] = [];
  while (ratios.length < ATTEMPTS) {
    const small = timeOf(() => work(size));
    const large = timeOf(() => work(size * FACTOR));
    if (large < TOO_SHORT || large / small < MOST) return;
    ratios.push(large / small);
  }
  assert.fail(
    `${FACTOR} times the input takes ${ratios.map((ratio) => ratio.toFixed(1)).join(", ")} times as long`,
  );
}
