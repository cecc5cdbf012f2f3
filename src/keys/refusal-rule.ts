import type { ProblemCode, RefusalError } from "../lib/error.ts";
import type { Metrics } from "../lib/metrics.ts";
import { denialCodes, PolicyDenial } from "../policy/reason.ts";

/** The refusals of a signature that no policy decides. A malformed request is not among them. */
const OTHER_RULES: readonly ProblemCode[] = [
  "blind_signing_denied",
  "looks_like_transaction",
  "key_archived",
  "insufficient_scope",
  "rate_limited",
];

/** Returns every value of the label `rule`: the reason of a policy, or the problem code of another refusal. */
export function refusalRules(): readonly string[] {
  return [...denialCodes(), ...OTHER_RULES];
}

/** Returns the rule that refused a signature. Returns undefined for any other error. */
function refusalRuleOf({ problem, cause }: RefusalError): string | undefined {
  return cause instanceof PolicyDenial ? cause.code : OTHER_RULES.find((code) => code === problem);
}

/** Counts a refused signature by the rule that refused it. Ignores every other error. */
export function countRefusal(metrics: Metrics, error: RefusalError): void {
  const rule = refusalRuleOf(error);
  if (rule !== undefined) metrics.count("holdfast_signature_refusals_total", rule);
}
