import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DAY, HOUR } from "../../src/lib/time.ts";
import {
  type Amount,
  type Counts,
  countSignature,
  NO_COUNTS,
  usedUpCounts,
} from "../../src/policy/counts.ts";
import { readPolicy } from "../../src/policy/read-policy.ts";
import { describeUsage } from "../../src/policy/usage.ts";

const NOW = Date.UTC(2026, 0, 31, 9, 30);
const USDC = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const TRANSFER = {
  chainId: "1",
  to: [USDC],
  valueAtMost: "0",
  feeAtMost: "1",
  call: { function: "transfer(address to,uint256 value)" },
  spends: [{ budget: "pay", path: "/call/value" }],
};

const POLICY = readPolicy({
  version: 1,
  transactions: [TRANSFER],
  perDay: 10,
  budgets: { pay: { rollingDay: "10000000", total: "100000000" } },
});

function count(amounts: readonly Amount[], counts: Counts = NO_COUNTS, now = NOW): Counts {
  const counted = countSignature(POLICY, amounts, { counts, now });
  assert.ok("counts" in counted);
  return counted.counts;
}

function usage(
  counts: Counts,
  now = NOW,
  language: "en" | "de" = "en",
): readonly (readonly [string, number])[] {
  return describeUsage(POLICY, { counts, now }, language).map(({ text, share }) => [text, share]);
}

describe("describeUsage()", () => {
  test("lists each limit with what is used in its window, in units of the token", () => {
    const counts = count([{ budget: "pay", amount: 2_500_000n }]);
    assert.deepEqual(usage(counts), [
      ["1 of 10 signatures in a day (UTC)", 0.1],
      ["Budget “pay”: 2.5 USDC of 10 USDC in any 24 hours", 0.25],
      ["Budget “pay”: 2.5 USDC of 100 USDC in total", 0.025],
    ]);
    assert.deepEqual(usage(counts, NOW, "de")[0], ["1 von 10 Signaturen an einem Tag (UTC)", 0.1]);
  });

  test("lists nothing used before the first signature, and after the window", () => {
    assert.deepEqual(usage(NO_COUNTS).map(([, share]) => share), [0, 0, 0]);
    const later = NOW + DAY + 2 * HOUR;
    assert.deepEqual(usage(count([{ budget: "pay", amount: 5_000_000n }]), later).map(([, share]) => share), [
      0,
      0,
      0.05,
    ]);
  });

  test("lists everything as used after a repair", () => {
    assert.deepEqual(usage(usedUpCounts(POLICY, NOW)).map(([, share]) => share), [1, 1, 1]);
  });

  test("lists the five recipients with the most of a budget for each", () => {
    let counts: Counts = NO_COUNTS;
    for (let index = 1; index <= 7; index++) {
      counts = count([{ budget: "pay", recipient: `r${index}`, amount: BigInt(index) * 1_000_000n }], counts);
    }
    const ofDay = usage(counts).filter(([text]) => text.includes("24 hours"));
    assert.deepEqual(ofDay.map(([, share]) => share), [0.7, 0.6, 0.5, 0.4, 0.3]);
    assert.equal(ofDay[0]![0], "Budget “pay”, to r7: 7 USDC of 10 USDC in any 24 hours");
  });

  test("is full for a limit of nothing", () => {
    const policy = readPolicy(POLICY_OF_NOTHING);
    const limits = describeUsage(policy, { counts: NO_COUNTS, now: NOW }, "en");
    assert.deepEqual(limits.map(({ share }) => share), [1]);
  });
});

const POLICY_OF_NOTHING = {
  version: 1,
  transactions: [TRANSFER],
  budgets: { pay: { total: "0" } },
};
