import type { CooperativeTask } from "../lib/cooperative.ts";
import { memoizePerObject } from "../lib/memoize.ts";
import { type Instant, SECOND } from "../lib/time.ts";
import { type Limit, type Limits, POLICY_LIMITS } from "./policy.ts";
import { below } from "./policy-reading.ts";
import { type Document, type FoundValue, type Leaf, valuesAt } from "./values.ts";
import { type Reason, reason } from "./reason.ts";

/** The member of a rule that does not match an act, and the value of the document. */
export interface Mismatch {
  /** JSON pointer relative to the rule. */
  readonly member: string;
  readonly value: string | null;
  readonly reason: Reason;
}

const INTEGER = /^(?:-?[1-9]\d{0,77}|0|0x[0-9a-fA-F]{1,64})$/;

/** Returns a check that a value is listed. Compares by type: ignores the case of hex and the notation of integers. */
function createLookup(listed: readonly (string | boolean)[]): (leaf: Leaf) => boolean {
  const texts = listed.filter((one) => typeof one === "string");
  const exact = new Set<string | boolean>(listed);
  const integers = new Set(texts.filter((one) => INTEGER.test(one)).map((one) => BigInt(one).toString()));
  const hex = new Set(texts.map((one) => one.toLowerCase()));
  return ({ kind, value }) => {
    if (typeof value === "boolean" || kind === "string") return exact.has(value);
    if (kind === "uint" || kind === "int") return integers.has(value);
    // A longer value is in no list, and hashing it for the set takes long.
    return value.length <= POLICY_LIMITS.text && hex.has(value);
  };
}

/** Returns the reason if it refuses the value. */
type LimitCheck = (found: FoundValue, now: Instant) => Reason | undefined;

/** Compiles each member of a limit to its check. */
const CHECKS: { readonly [M in keyof Required<Limit>]: (limit: NonNullable<Limit[M]>) => LimitCheck } = {
  atMost: (most) => {
    const greatest = BigInt(most);
    return ({ at, leaf: { amount } }) =>
      amount !== undefined && amount <= greatest ? undefined : reason("notAtMost", { at, most });
  },
  oneOf: (listed) => {
    const isListed = createLookup(listed);
    return ({ at, leaf }) => isListed(leaf) ? undefined : reason("notListed", { at });
  },
  within: (seconds) => ({ at, leaf: { amount } }, now) => {
    const latest = BigInt(Math.floor(now / SECOND) + seconds);
    return amount !== undefined && amount <= latest ? undefined : reason("notWithin", { at, seconds });
  },
};

const MEMBERS = Object.keys(CHECKS) as (keyof Limit)[];

interface CompiledLimit {
  readonly path: string;
  readonly checks: readonly (readonly [member: string, check: LimitCheck])[];
}

function compileLimit([path, limit]: readonly [string, Limit]): CompiledLimit {
  const given = MEMBERS.filter((member) => limit[member] !== undefined);
  const compile = (member: keyof Limit) =>
    (CHECKS[member] as (limit: never) => LimitCheck)(limit[member] as never);
  return { path, checks: given.map((member) => [member, compile(member)]) };
}

/** Compiles the limits of a rule once. */
const compiledLimits = memoizePerObject((limits: Limits): readonly CompiledLimit[] =>
  Object.entries(limits).map(compileLimit)
);

/** Returns the first limit that a value breaks. `member` points to the limits in the rule. */
export function* limitMismatchOf(
  limits: Limits,
  document: Document,
  { member, at: outer = "", now }: {
    readonly member: string;
    /** The path in the document below which the limits' paths are. */
    readonly at?: string;
    readonly now: Instant;
  },
): CooperativeTask<Mismatch | undefined> {
  for (const { path, checks } of compiledLimits(limits)) {
    const found = yield* valuesAt(document, outer + path);
    if (found === undefined) {
      const at = document.root.at + outer + path;
      return { member: below(member, path), value: at, reason: reason("noSingleValue", { at }) };
    }
    for (const one of found) {
      for (const [name, check] of checks) {
        const refusal = check(one, now);
        if (refusal === undefined) continue;
        return { member: below(below(member, path), name), value: one.at, reason: refusal };
      }
      if (document.budget.take(checks.length)) yield;
    }
  }
  return undefined;
}
