import type { Amount } from "./counts.ts";
import type { RuleOutcome } from "./policy.ts";
import type { Mismatch } from "./limit.ts";
import type { Reason } from "./reason.ts";

export interface Match {
  /** JSON pointer into the policy. */
  readonly rule: string;
  readonly outcome: RuleOutcome;
  readonly spends: readonly Amount[];
}

/** The first mismatch of a rule, and the number of checks passed before it. */
export interface NearMismatch extends Mismatch {
  readonly passed: number;
}

/** The matching rules in their order, and the nearest that does not match. */
export interface MatchResult {
  readonly matches: readonly Match[];
  /** The number of checks that the nearest rule passed; -1 if the policy has no rule of the act's kind. */
  readonly progress: number;
  readonly nearest: { readonly rule: string | null; readonly value: string | null; readonly reason: Reason };
}

export type Check = () => Mismatch | undefined;

/** Returns the first failing check with the number of passed ones. */
export function firstMismatch(checks: readonly Check[]): NearMismatch | undefined {
  for (const [passed, check] of checks.entries()) {
    const mismatch = check();
    if (mismatch !== undefined) return { ...mismatch, passed };
  }
  return undefined;
}

export type RuleResult = Omit<Match, "rule"> | NearMismatch;

/**
 * Combines the results of all rules of the list at the pointer `kind`. `reason` applies unless a rule passed a check.
 */
export function matchRules(kind: string, results: readonly RuleResult[], reason: Reason): MatchResult {
  const matches: Match[] = [];
  let nearest: MatchResult["nearest"] = { rule: kind, value: null, reason };
  let progress = results.length === 0 ? -1 : 0;
  for (const [index, tried] of results.entries()) {
    const at = `${kind}/${index}`;
    if (!("passed" in tried)) {
      matches.push({ ...tried, rule: at });
    } else if (tried.passed > progress) {
      progress = tried.passed;
      nearest = { rule: at + tried.member, value: tried.value, reason: tried.reason };
    }
  }
  return { matches, nearest, progress };
}
