import type { Language } from "../lib/language.ts";
import { describePolicy } from "./describe.ts";
import type { Outcome, Policy, RuleOutcome } from "./policy.ts";
import { levelOf, type RuleLevel } from "./rule-level.ts";

export interface DescribedRule {
  readonly id: string;
  /** JSON pointer into the policy. */
  readonly pointer: string;
  readonly outcome: RuleOutcome;
  readonly sentence: string;
  readonly level: RuleLevel;
}

/** The rules for messages, whose ids leave out where they stand. */
const MESSAGE_IDS = /^(?:signIn\/|text$|bytes$)/;

function pointerOf(id: string): string {
  return MESSAGE_IDS.test(id) ? `/messages/${id}` : `/${id}`;
}

/** Returns the outcome of the rule at a pointer, which is a word or a member. */
function outcomeAt(policy: Policy, pointer: string): RuleOutcome {
  const steps = pointer.slice(1).split("/");
  const rule = steps.reduce<unknown>((at, step) => (at as Readonly<Record<string, unknown>>)[step], policy);
  return typeof rule === "string" ? rule as RuleOutcome : (rule as { outcome: RuleOutcome }).outcome;
}

function idsIn(kind: string, rules: readonly unknown[]): readonly string[] {
  return rules.map((_rule, index) => `${kind}/${index}`);
}

function idUnlessDenied(id: string, outcome: Outcome): readonly string[] {
  return outcome === "deny" ? [] : [id];
}

/** Returns an id for each rule that allows or asks, in the order of `describePolicy`. */
export function ruleIdsOf(
  { messages, typedData, transactions, authorizations, effects = [], raw, digest, otherwise }: Policy,
): readonly string[] {
  return [
    ...idsIn("signIn", messages.signIn),
    ...idUnlessDenied("text", messages.text),
    ...idUnlessDenied("bytes", messages.bytes),
    ...idsIn("typedData", typedData),
    ...idsIn("transactions", transactions),
    ...idsIn("authorizations", authorizations),
    ...idsIn("effects", effects),
    ...idUnlessDenied("raw", raw),
    ...idUnlessDenied("digest", digest),
    ...idUnlessDenied("otherwise", otherwise ?? "deny"),
  ];
}

/** Removes all rules except these from a policy. Keeps its other members. */
export function keepRules(policy: Policy, kept: ReadonlySet<string>): Policy {
  const keep = <R>(kind: string, rules: readonly R[]): readonly R[] =>
    rules.filter((_rule, index) => kept.has(`${kind}/${index}`));
  const keepOutcome = (id: string, outcome: Outcome): Outcome => kept.has(id) ? outcome : "deny";
  const { otherwise, effects = [], ...rest } = policy;
  const keptEffects = keep("effects", effects);
  const { messages, typedData, transactions, authorizations, raw, digest } = rest;
  return {
    ...rest,
    ...(otherwise !== undefined && kept.has("otherwise") ? { otherwise } : {}),
    messages: {
      signIn: keep("signIn", messages.signIn),
      text: keepOutcome("text", messages.text),
      bytes: keepOutcome("bytes", messages.bytes),
    },
    typedData: keep("typedData", typedData),
    transactions: keep("transactions", transactions),
    authorizations: keep("authorizations", authorizations),
    ...(keptEffects.length === 0 ? {} : { effects: keptEffects }),
    raw: keepOutcome("raw", raw),
    digest: keepOutcome("digest", digest),
  };
}

/** Describes each rule of a policy, and the limits that apply to all of them together. */
export function describeRules(
  policy: Policy,
  language: Language,
): { readonly rules: readonly DescribedRule[]; readonly limits: readonly string[] } {
  const ids = ruleIdsOf(policy);
  const sentences = describePolicy(policy, language);
  const rules = ids.map((id, index) => {
    const pointer = pointerOf(id);
    const level = levelOf(keepRules(policy, new Set([id])));
    return { id, pointer, outcome: outcomeAt(policy, pointer), sentence: sentences[index]!, level };
  });
  return { rules, limits: ids.length === 0 ? [] : sentences.slice(ids.length) };
}
