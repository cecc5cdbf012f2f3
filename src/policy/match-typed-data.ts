import { type CheckedTypedData, typeHashOf } from "../ethereum/typed-data/typed-data.ts";
import { showAtom } from "../ethereum/typed-data/typed-data-explain.ts";
import type { AtomicType } from "../ethereum/typed-data/typed-data-types.ts";
import { toHex } from "../lib/bytes.ts";
import type { Instant } from "../lib/time.ts";
import { type Check, firstMiss, fitRules, type Fitting, type Trial } from "./match.ts";
import { type Miss, missOf } from "./limit.ts";
import type { Policy, TypedDataRule } from "./policy.ts";
import { OWN_LIMITS } from "./safe.ts";
import { amountsOf } from "./spend.ts";
import { type Node, typedNode, valuesAt } from "./values.ts";
import { reason } from "./reason.ts";

interface Subject {
  /** Returns a member of the domain as text, or null if it is missing. */
  readonly domain: (member: string) => string | null;
  readonly typeHash: () => string;
  /** Empty if the signature covers the domain alone. */
  readonly message: Node;
}

function subjectOf({ domain, message, typeTexts }: CheckedTypedData): Subject {
  return {
    domain: (member) => {
      const index = domain.type.fieldNames.indexOf(member);
      if (index < 0) return null;
      // Each member of a domain is a single value, and none is a bool.
      const bytes = (domain.value as readonly Uint8Array[])[index]!;
      return showAtom(bytes, domain.type.fields[index]!.type as AtomicType) as string;
    },
    typeHash: () => toHex(typeHashOf(typeTexts.get((message ?? domain).type)!)),
    message: message === undefined ? { kind: "nothing" } : typedNode(message.type, message.value),
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

export function fitTypedData({ typedData }: Policy, checked: CheckedTypedData, now: Instant): Fitting {
  const subject = subjectOf(checked);
  return fitRules("/typedData", typedData, reason("noTypedData"), (rule) => tryRule(rule, subject, now));
}

function tryRule(rule: TypedDataRule, subject: Subject, now: Instant): Trial {
  const wrongType: Miss = {
    member: "/typeHash",
    value: "/primaryType",
    reason: reason("otherType"),
  };
  const limits = { ...OWN_LIMITS[rule.typeHash], ...rule.where };
  const missed = firstMiss([
    domainCheck(subject, ["chainId", "chainId"], rule.chainId),
    domainCheck(subject, ["verifyingContract", "verifyingContract"], rule.verifyingContract),
    domainCheck(subject, ["name", "name"], rule.name),
    domainCheck(subject, ["domainVersion", "version"], rule.domainVersion),
    () => subject.typeHash() === rule.typeHash ? undefined : wrongType,
    () => missOf(limits, subject.message, { member: "/where", at: "/message", now }),
  ]);
  if (missed !== undefined) return missed;
  const spends = amountsOf(rule.spends, (path) => valuesAt(subject.message, path, "/message"));
  return "member" in spends ? { ...spends, passed: 6 } : { outcome: rule.outcome, spends };
}
