import * as v from "valibot";
import { KeyPolicy, Policy, PolicyDecision } from "./policy.ts";
import { Code } from "./problem.ts";
import { list, type Of } from "./value.ts";

const ExplainedRule = v.strictObject({
  rule: v.pipe(v.string(), v.description("A JSON pointer into the policy")),
  sentence: v.string(),
  outcome: v.picklist(["allow", "ask"]),
  level: v.pipe(
    v.nullable(v.picklist(["red", "amber"])),
    v.description("The danger of the rule; null if it is bounded, or asks"),
  ),
});

/** A policy in sentences, and its decision on a request. */
export const PolicyExplanation = v.strictObject({
  policy: v.pipe(v.union([Policy, KeyPolicy]), v.description("The policy in normal form")),
  rules: list(ExplainedRule),
  limits: v.pipe(list(v.string()), v.description("The limits of all rules together, in sentences")),
  decision: v.pipe(
    v.nullable(PolicyDecision),
    v.description("The decision on the request as if nothing was signed under the policy; null without one"),
  ),
  refusal: v.pipe(
    v.nullable(v.strictObject({ code: Code, detail: v.string() })),
    v.description("Why the key would not sign the request whatever the policy; null if it would"),
  ),
});

export type PolicyExplanationView = Of<typeof PolicyExplanation>;
