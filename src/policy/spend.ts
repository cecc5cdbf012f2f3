import { amountOf } from "./limit.ts";
import type { Miss } from "./limit.ts";
import type { Amount } from "./fit.ts";
import type { Spend } from "./policy.ts";
import type { Found } from "./values.ts";

/** The values on a path of a rule; undefined where one is not there. */
export type Lookup = (path: string) => readonly Found[] | undefined;

/** What an act takes from budgets, or the value that is no amount. */
export function amountsOf(spends: readonly Spend[], lookup: Lookup): readonly Amount[] | Miss {
  const amounts: Amount[] = [];
  for (const [index, { budget, path }] of spends.entries()) {
    const member = `/spends/${index}/path`;
    const found = lookup(path);
    if (found === undefined) {
      return { member, value: null, reason: "There is no amount that the budget counts" };
    }
    let amount = 0n;
    for (const { at, leaf } of found) {
      const one = amountOf(leaf);
      if (one === undefined) return { member, value: at, reason: `The value at ${at} is no amount` };
      amount += one;
    }
    amounts.push({ budget, amount });
  }
  return amounts;
}
