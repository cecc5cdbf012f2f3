import { type CheckedTypedData, typeHashOf } from "../ethereum/typed-data/typed-data.ts";
import { showAtom } from "../ethereum/typed-data/typed-data-explain.ts";
import type { AtomicType } from "../ethereum/typed-data/typed-data-types.ts";
import { toHex } from "../lib/bytes.ts";
import type { CooperativeTask } from "../lib/cooperative.ts";
import { memoizePerObject } from "../lib/memoize.ts";
import type { Instant } from "../lib/time.ts";
import { type Check, firstMismatch, type MatchResult, matchRules, type RuleResult } from "./match.ts";
import { limitMismatchOf, type Mismatch } from "./limit.ts";
import type { Limits, Policy, TypedDataRule } from "./policy.ts";
import { OWN_LIMITS } from "./safe.ts";
import { amountsOf } from "./spend.ts";
import { createDocument, type Document, typedNode } from "./values.ts";
import type { StepBudget } from "./step-budget.ts";
import { reason } from "./reason.ts";

interface Subject {
  /** Returns a member of the domain as text, or null if it is missing. */
  readonly domain: (member: string) => string | null;
  readonly typeHash: () => string;
  /** Empty if the signature covers the domain alone. */
  readonly message: Document;
}

function domainText({ domain }: CheckedTypedData, member: string): string | null {
  const index = domain.type.fieldNames.indexOf(member);
  if (index < 0) return null;
  // Each member of a domain is a single value, and none is a bool.
  const bytes = (domain.value as readonly Uint8Array[])[index]!;
  return showAtom(bytes, domain.type.fields[index]!.type as AtomicType) as string;
}

/** Domain members and types can be long. Each is converted once for all rules. */
function subjectOf(checked: CheckedTypedData, budget: StepBudget): Subject {
  const { domain, message, typeTexts } = checked;
  const members = new Map<string, string | null>();
  let typeHash: string | undefined;
  return {
    domain: (member) => {
      if (!members.has(member)) members.set(member, domainText(checked, member));
      return members.get(member)!;
    },
    typeHash: () => typeHash ??= toHex(typeHashOf(typeTexts.get((message ?? domain).type)!)),
    message: createDocument(
      message === undefined ? { kind: "nothing" } : typedNode(message.type, message.value),
      "/message",
      budget,
    ),
  };
}

/** Returns a check that the domain's member equals the rule's, unless the rule omits it. */
function domainCheck(
  subject: Subject,
  [member, inDomain]: readonly [member: string, inDomain: string],
  expected: string | null | undefined,
): Check {
  return () =>
    expected === undefined || subject.domain(inDomain) === expected ? undefined : {
      member: `/${member}`,
      value: `/domain/${inDomain}`,
      reason: reason("domain", { member: inDomain }),
    };
}

export function* matchTypedData(
  { typedData }: Policy,
  checked: CheckedTypedData,
  { now, budget }: { readonly now: Instant; readonly budget: StepBudget },
): CooperativeTask<MatchResult> {
  const subject = subjectOf(checked, budget);
  const results: RuleResult[] = [];
  for (const rule of typedData) results.push(yield* tryRule(rule, subject, now));
  return matchRules("/typedData", results, reason("noTypedData"));
}

const limitsOf = memoizePerObject(({ typeHash, where }: TypedDataRule): Limits => ({
  ...OWN_LIMITS[typeHash],
  ...where,
}));

function* tryRule(rule: TypedDataRule, subject: Subject, now: Instant): CooperativeTask<RuleResult> {
  const wrongType: Mismatch = {
    member: "/typeHash",
    value: "/primaryType",
    reason: reason("otherType"),
  };
  const failedCheck = firstMismatch([
    domainCheck(subject, ["chainId", "chainId"], rule.chainId),
    domainCheck(subject, ["verifyingContract", "verifyingContract"], rule.verifyingContract),
    domainCheck(subject, ["name", "name"], rule.name),
    domainCheck(subject, ["domainVersion", "version"], rule.domainVersion),
    () => subject.typeHash() === rule.typeHash ? undefined : wrongType,
  ]);
  if (failedCheck !== undefined) return failedCheck;
  const broken = yield* limitMismatchOf(limitsOf(rule), subject.message, { member: "/where", now });
  if (broken !== undefined) return { ...broken, passed: 5 };
  const spends = yield* amountsOf(rule.spends, subject.message);
  return "member" in spends ? { ...spends, passed: 6 } : { outcome: rule.outcome, spends };
}
