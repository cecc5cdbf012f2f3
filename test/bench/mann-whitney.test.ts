import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { mannWhitney } from "../../bench/mann-whitney.ts";

const upTo = (count: number, start = 1): number[] =>
  Array.from({ length: count }, (_, index) => start + index);

describe("mannWhitney()", () => {
  test("returns 1 for equal samples", () => {
    for (const sample of [upTo(50), new Array<number>(30).fill(7)]) {
      assert.ok(Math.abs(mannWhitney(sample, sample) - 1) < 1e-6);
    }
  });

  test("returns almost 0 for separate samples", () => {
    assert.ok(mannWhitney(upTo(50), upTo(50, 100)) < 1e-15);
  });

  test("returns the probability of U in the normal distribution, with ties and without", () => {
    // U = 55 where 200 is the middle, variance 20 * 20 * 41 / 12: z = 3.90874.
    assert.ok(Math.abs(mannWhitney(upTo(20), upTo(20, 11).map((value) => value - 0.5)) - 9.278e-5) < 1e-6);
    const [one, other] = [upTo(40).map((value) => value % 4), upTo(40).map((value) => (value + 1) % 4)];
    assert.ok(Math.abs(mannWhitney(one, other) - 1) < 1e-6);
  });

  test("does not depend on the order of samples or values", () => {
    const [one, other] = [[3, 1, 2, 9, 9], [4, 6, 5, 9, 7]];
    assert.equal(mannWhitney(one, other), mannWhitney(other, one));
    assert.equal(mannWhitney(one, other), mannWhitney(one.toReversed(), other.toSorted()));
  });
});
