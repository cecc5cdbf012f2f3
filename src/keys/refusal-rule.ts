import type { ProblemCode, RefusalError } from "../lib/error.ts";
import type { Metrics } from "../lib/metrics.ts";
import { denialCodes } from "../policy/reason.ts";
import { PolicyDenial } from "./enforce.ts";

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

/** Counts a refused signature by the rule that refused it. Ignores every other error. */
export function countRefusal(metrics: Metrics, { problem, cause }: RefusalError): void {
  const rule = cause instanceof PolicyDenial ? cause.code : OTHER_RULES.find((code) => code === problem);
  if (rule !== undefined) metrics.count("holdfast_signature_refusals_total", rule);
}
