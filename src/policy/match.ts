import type { Amount } from "./counts.ts";
import type { RuleOutcome } from "./policy.ts";
import type { Miss } from "./limit.ts";
import type { Reason } from "./reason.ts";

export interface Fit {
  /** JSON pointer into the policy. */
  readonly rule: string;
  readonly outcome: RuleOutcome;
  readonly spends: readonly Amount[];
}

/** The first mismatch of a rule, and the number of checks passed before it. */
export interface NearMiss extends Miss {
  readonly passed: number;
}

/** The matching rules in their order, and the nearest that does not match. */
export interface Fitting {
  readonly fits: readonly Fit[];
  readonly nearest: { readonly rule: string | null; readonly value: string | null; readonly reason: Reason };
}

export type Check = () => Miss | undefined;

/** Returns the first failing check with the number of passed ones. */
export function firstMiss(checks: readonly Check[]): NearMiss | undefined {
  for (const [passed, check] of checks.entries()) {
    const miss = check();
    if (miss !== undefined) return { ...miss, passed };
  }
  return undefined;
}

export type Trial = Omit<Fit, "rule"> | NearMiss;

/** Sums up the trials of all rules of the list at the pointer `kind`. `reason` applies unless a rule passed a check. */
export function fitRules(kind: string, trials: readonly Trial[], reason: Reason): Fitting {
  const fits: Fit[] = [];
  let nearest: Fitting["nearest"] = { rule: kind, value: null, reason };
  let passed = 0;
  for (const [index, tried] of trials.entries()) {
    const at = `${kind}/${index}`;
    if (!("passed" in tried)) {
      fits.push({ ...tried, rule: at });
    } else if (tried.passed > passed) {
      passed = tried.passed;
      nearest = { rule: at + tried.member, value: tried.value, reason: tried.reason };
    }
  }
  return { fits, nearest };
}
