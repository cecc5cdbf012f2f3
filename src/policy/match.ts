import type { Amount } from "./counts.ts";
import type { RuleOutcome } from "./policy.ts";
import type { Miss } from "./limit.ts";
import type { Reason } from "./reason.ts";

/** A rule that an act fits. */
export interface Fit {
  /** JSON pointer into the policy. */
  readonly rule: string;
  readonly outcome: RuleOutcome;
  readonly spends: readonly Amount[];
}

/** Why a rule is not for an act, and how many of its members were. */
export interface NearMiss extends Miss {
  readonly passed: number;
}

/** What the rules of a kind say of an act: those it fits, in their order, or the one that it missed by least. */
export interface Fitting {
  readonly fits: readonly Fit[];
  readonly nearest: { readonly rule: string; readonly value: string | null; readonly reason: Reason };
}

/** Why an act does not fit one member of a rule; undefined where it does. */
export type Check = () => Miss | undefined;

/** The first check that fails, with how many came before. */
export function firstMiss(checks: readonly Check[]): NearMiss | undefined {
  for (const [passed, check] of checks.entries()) {
    const miss = check();
    if (miss !== undefined) return { ...miss, passed };
  }
  return undefined;
}

/** What is tried of one rule. */
export type Trial = Omit<Fit, "rule"> | NearMiss;

/**
 * Tries every rule of a list that stands at `kind` in the policy. `reason` is said where there is none that anything
 * could be said of.
 */
export function fitRules<R>(
  kind: string,
  rules: readonly R[],
  reason: Reason,
  tryRule: (rule: R) => Trial,
): Fitting {
  const fits: Fit[] = [];
  let nearest: Fitting["nearest"] = { rule: kind, value: null, reason };
  let passed = 0;
  for (const [index, rule] of rules.entries()) {
    const tried = tryRule(rule);
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
