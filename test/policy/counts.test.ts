import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { DAY, HOUR, type Instant, MINUTE } from "../../src/lib/time.ts";
import { type Amount, type Counts, countSignature, MOST_SLOTS, NO_COUNTS } from "../../src/policy/counts.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { readPolicy } from "../../src/policy/read-policy.ts";
import { runs, runsOf } from "../support/share.ts";

/** A time at which a day of UTC begins. */
const START = 20_000 * DAY;

function policyOf(budget: Readonly<Record<string, string>>, more: object = {}): Policy {
  return readPolicy({ version: 1, budgets: { b: budget }, ...more });
}

/** Signs in turn, and returns for each signature true if it was counted. */
function signAll(
  policy: Policy,
  signatures: readonly { readonly now: Instant; readonly amounts: readonly Amount[] }[],
) {
  let counts: Counts = NO_COUNTS;
  const signed = signatures.map(({ now, amounts }) => {
    const after = countSignature(policy, amounts, { counts, now });
    if ("exceeded" in after) return false;
    counts = after.counts;
    return true;
  });
  return { signed, counts };
}

const give = (amount: number, recipient?: string): Amount => ({
  budget: "b",
  amount: BigInt(amount),
  recipient,
});

/** The amounts that count in a window at `now`, without slots. */
interface Exact {
  readonly counts: (at: Instant, now: Instant) => boolean;
  /** The longest step of a clock. */
  readonly step: number;
  /** The most by which a clock may be set back without resetting what was counted. */
  readonly length: number;
}

const EXACT: Readonly<Record<string, Exact>> = {
  perDay: {
    counts: (at, now) => Math.floor(at / DAY) === Math.floor(now / DAY),
    step: 4 * HOUR,
    length: DAY,
  },
  rollingHour: { counts: (at, now) => now - at < HOUR, step: 10 * MINUTE, length: HOUR },
  rollingDay: { counts: (at, now) => now - at < DAY, step: 4 * HOUR, length: DAY },
  rollingWeek: { counts: (at, now) => now - at < 7 * DAY, step: DAY, length: 7 * DAY },
  total: { counts: () => true, step: DAY, length: Infinity },
};

const MOST = 20;

/** Steps of a clock that is mostly right, and sometimes set back. */
const steps = (longest: number) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: longest }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 20 * longest }) },
    { weight: 1, arbitrary: fc.integer({ min: -5 * longest, max: -1 }) },
  );

describe("countSignature()", () => {
  for (const [window, exact] of Object.entries(EXACT)) {
    test(`allows at most the amount in a window: ${window}, with a clock that is set back`, () => {
      let refused = 0;
      const signature = fc.tuple(
        steps(exact.step),
        fc.integer({ min: 0, max: 9 }),
        fc.constantFrom(undefined, "x", "y"),
      );
      fc.assert(
        fc.property(fc.array(signature, { minLength: 10, maxLength: 80 }), (drawn) => {
          let now = START;
          let latest = START;
          const signatures = drawn.map(([step, amount, channel]) => {
            // Several steps back in turn add up, so they end where the window does.
            now = Math.max(now + step, latest - exact.length);
            latest = Math.max(latest, now);
            return { now, amount, channel };
          });
          const policy = policyOf({ [window]: String(MOST) });
          const { signed } = signAll(
            policy,
            signatures.map((one) => ({
              now: one.now,
              amounts: [{ budget: "b", amount: BigInt(one.amount), recipient: one.channel }],
            })),
          );
          const done = signatures.filter((_, index) => signed[index]);
          refused += signatures.length - done.length;
          for (const { now: end, channel } of done) {
            const inside = done.filter((one) =>
              one.channel === channel && one.now <= end && exact.counts(one.now, end)
            );
            const sum = inside.reduce((sum, { amount }) => sum + amount, 0);
            assert.ok(sum <= MOST, `${sum} at ${end} of ${JSON.stringify(done)}`);
          }
        }),
        runs(200, 31),
      );
      assert.ok(refused > runsOf(200), `only ${refused} refused`);
    });
  }

  test("allows the amount again as soon as the window and a slot have passed", () => {
    const cases = [["rollingHour", HOUR], ["rollingDay", DAY], ["rollingWeek", 7 * DAY]] as const;
    for (const [window, length] of cases) {
      const slot = length / 24;
      const times = [START, START + length - 1, START + length + slot];
      const signatures = times.map((now) => ({ now, amounts: [give(MOST)] }));
      assert.deepEqual(signAll(policyOf({ [window]: String(MOST) }), signatures).signed, [true, false, true]);
    }
  });

  test("never allows more than a total, however long ago", () => {
    const signatures = [0, 1_000 * DAY, 9_000 * DAY].map((later) => ({
      now: START + later,
      amounts: [give(8)],
    }));
    assert.deepEqual(signAll(policyOf({ total: "20" }), signatures).signed, [true, true, false]);
  });

  test("holds every window of a budget", () => {
    const signatures = [0, 1, 2].map((day) => ({ now: START + day * DAY, amounts: [give(9)] }));
    assert.deepEqual(signAll(policyOf({ perDay: "10", rollingWeek: "20" }), signatures).signed, [
      true,
      true,
      false,
    ]);
  });

  test("limits signatures in all windows, by their names", () => {
    for (const window of ["rollingHour", "rollingDay", "rollingWeek", "total"]) {
      const signatures = [0, 1, 2].map((later) => ({ now: START + later * MINUTE, amounts: [] }));
      assert.deepEqual(signAll(readPolicy({ version: 1, [window]: 2 }), signatures).signed, [
        true,
        true,
        false,
      ]);
    }
  });

  test("counts for each recipient, and both amounts of one document for one recipient", () => {
    const signatures = [[give(6, "x")], [give(6, "y")], [give(3, "x"), give(3, "x")], [give(4, "x")]];
    const { signed } = signAll(
      policyOf({ perDay: "10" }),
      signatures.map((amounts) => ({ now: START, amounts })),
    );
    assert.deepEqual(signed, [true, true, false, true]);
  });

  test("counts of a cumulative amount what exceeds the highest one of its channel", () => {
    const voucher = (amount: number, channel: string): Amount => ({
      budget: "b",
      amount: BigInt(amount),
      channel,
    });
    const signatures = [
      [voucher(10, "c1")],
      [voucher(10, "c1")],
      [voucher(4, "c1")],
      [voucher(15, "c1")],
      [voucher(6, "c2")],
      [voucher(5, "c2"), voucher(3, "c2")],
      [voucher(16, "c1")],
    ];
    const { signed } = signAll(
      policyOf({ total: "20" }),
      signatures.map((amounts) => ({ now: START, amounts })),
    );
    assert.deepEqual(signed, [true, true, true, true, false, true, false]);
  });

  test("never lets cumulative amounts rise by more than the budget", () => {
    const voucher = fc.tuple(fc.constantFrom("c1", "c2", "c3"), fc.integer({ min: 0, max: 40 }));
    fc.assert(
      fc.property(fc.array(voucher, { maxLength: 40 }), (vouchers) => {
        const signatures = vouchers.map(([channel, amount]) => ({
          now: START,
          amounts: [{ budget: "b", amount: BigInt(amount), channel }],
        }));
        const { signed } = signAll(policyOf({ total: String(MOST) }), signatures);
        const highest: Record<string, number> = {};
        for (const [index, [channel, amount]] of vouchers.entries()) {
          if (signed[index]) highest[channel] = Math.max(highest[channel] ?? 0, amount);
        }
        assert.ok(Object.values(highest).reduce((sum, one) => sum + one, 0) <= MOST);
      }),
      runs(500, 37),
    );
  });

  test("refuses more recipients than a row holds, and forgets the oldest channels first", () => {
    const counters = (kind: string): Counts =>
      Object.fromEntries(
        Array.from(
          { length: MOST_SLOTS - 2 },
          (_, index) => [`/budgets/b/${kind}@${index}`, [[START - index, "1"]]],
        ),
      );
    const paid = countSignature(policyOf({ total: "1" }), [give(1, "new")], {
      counts: counters("total"),
      now: START,
    });
    assert.ok("counts" in paid);
    const full = { counts: paid.counts, now: START };
    const two = [give(1, "other"), give(1, "another")];
    assert.ok("exceeded" in countSignature(policyOf({ total: "1" }), two, full));
    const voucher = { budget: "b", amount: 2n, channel: "new" };
    const opened = countSignature(policyOf({ total: "5", perDay: "5" }), [voucher], {
      counts: counters("highest"),
      now: START,
    });
    assert.ok("counts" in opened);
    assert.ok(!Object.hasOwn(opened.counts, `/budgets/b/highest@${MOST_SLOTS - 3}`));
    assert.ok(Object.hasOwn(opened.counts, "/budgets/b/highest@new"));
  });

  test("forgets no recipient whose name looks like a channel", () => {
    const name = "/highest@1";
    const counts = Object.fromEntries(
      Array.from(
        { length: MOST_SLOTS - 1 },
        (_, index) => [`/budgets/b/total@${index}`, [[START, "1"] as const]],
      ),
    );
    const policy = policyOf({ total: "1" });
    const paid = countSignature(policy, [give(1, name)], { counts, now: START });
    assert.ok("counts" in paid);
    assert.ok(
      "exceeded" in countSignature(policy, [give(1, "new")], { counts: paid.counts, now: START + 1 }),
    );
  });
});
