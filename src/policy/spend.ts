import type { Amount } from "./counts.ts";
import type { CooperativeTask } from "../lib/cooperative.ts";
import type { Mismatch } from "./limit.ts";
import type { Spend } from "./policy.ts";
import { type Document, valuesAt } from "./values.ts";
import { reason } from "./reason.ts";

/** Returns the amounts that an act takes from budgets, or the value that is no amount. */
export function* amountsOf(
  spends: readonly Spend[],
  document: Document,
): CooperativeTask<readonly Amount[] | Mismatch> {
  const amounts: Amount[] = [];
  for (const [index, { budget, path }] of spends.entries()) {
    const member = `/spends/${index}/path`;
    const found = yield* valuesAt(document, path);
    if (found === undefined) {
      return { member, value: null, reason: reason("nothingCounted") };
    }
    let amount = 0n;
    for (const { at, leaf } of found) {
      if (leaf.amount === undefined) return { member, value: at, reason: reason("noAmount", { at }) };
      amount += leaf.amount;
    }
    amounts.push({ budget, amount });
  }
  return amounts;
}
