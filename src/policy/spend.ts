import type { Amount } from "./counts.ts";
import { amountOf, type Miss } from "./limit.ts";
import type { Spend } from "./policy.ts";
import type { Found } from "./values.ts";
import { reason } from "./reason.ts";

/** Returns the values on a path of a rule, or undefined if one is missing. */
export type Lookup = (path: string) => readonly Found[] | undefined;

/** Returns the amounts that an act takes from budgets, or the value that is no amount. */
export function amountsOf(spends: readonly Spend[], lookup: Lookup): readonly Amount[] | Miss {
  const amounts: Amount[] = [];
  for (const [index, { budget, path }] of spends.entries()) {
    const member = `/spends/${index}/path`;
    const found = lookup(path);
    if (found === undefined) {
      return { member, value: null, reason: reason("nothingCounted") };
    }
    let amount = 0n;
    for (const { at, leaf } of found) {
      const one = amountOf(leaf);
      if (one === undefined) return { member, value: at, reason: reason("noAmount", { at }) };
      amount += one;
    }
    amounts.push({ budget, amount });
  }
  return amounts;
}
