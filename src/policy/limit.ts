import { type Instant, SECOND } from "../lib/time.ts";
import type { Limit, Limits } from "./policy.ts";
import { below } from "./policy-reading.ts";
import { type Found, type Leaf, type Node, valuesAt } from "./values.ts";
import { type Reason, reason } from "./reason.ts";

/** The member of a rule that does not match an act, and the value of the document. */
export interface Miss {
  /** JSON pointer relative to the rule. */
  readonly member: string;
  readonly value: string | null;
  readonly reason: Reason;
}

/** Returns the value of a non-negative integer, or undefined. */
export function amountOf({ kind, value }: Leaf): bigint | undefined {
  if (kind !== "uint" && kind !== "int") return undefined;
  const amount = BigInt(value);
  return amount < 0n ? undefined : amount;
}

/** Compares a value with a listed one by its type. Ignores the case of hex and the notation of integers. */
function isSame({ kind, value }: Leaf, listed: string | boolean): boolean {
  if (typeof listed === "boolean" || typeof value === "boolean") return value === listed;
  switch (kind) {
    case "string":
      return value === listed;
    case "uint":
    case "int":
      return /^(?:-?[1-9]\d{0,77}|0|0x[0-9a-fA-F]{1,64})$/.test(listed) && BigInt(listed) === BigInt(value);
    default:
      return value.toLowerCase() === listed.toLowerCase();
  }
}

type LimitCheck<M extends keyof Limit> = (
  leaf: Leaf,
  limit: NonNullable<Limit[M]>,
  { at, now }: { readonly at: string; readonly now: Instant },
) => Reason | undefined;

/** The check of each member of a limit. Returns the reason if it refuses the value. */
const CHECKS: { readonly [M in keyof Required<Limit>]: LimitCheck<M> } = {
  atMost: (leaf, most, { at }) => {
    const amount = amountOf(leaf);
    return amount !== undefined && amount <= BigInt(most) ? undefined : reason("notAtMost", { at, most });
  },
  oneOf: (leaf, listed, { at }) =>
    listed.some((one) => isSame(leaf, one)) ? undefined : reason("notListed", { at }),
  within: (leaf, seconds, { at, now }) => {
    const time = amountOf(leaf);
    const latest = BigInt(Math.floor(now / SECOND) + seconds);
    return time !== undefined && time <= latest ? undefined : reason("notWithin", { at, seconds });
  },
};

const MEMBERS = Object.keys(CHECKS) as (keyof Limit)[];

function refusalOf(
  limit: Limit,
  { at, leaf }: Found,
  now: Instant,
): readonly [member: string, reason: Reason] | undefined {
  for (const member of MEMBERS) {
    if (limit[member] === undefined) continue;
    const check = CHECKS[member] as LimitCheck<typeof member>;
    const refusal = check(leaf, limit[member] as never, { at, now });
    if (refusal !== undefined) return [member, refusal];
  }
  return undefined;
}

/** Returns the first limit that a value breaks. `member` points to the limits in the rule, `at` into the document. */
export function missOf(
  limits: Limits,
  root: Node,
  { member, at, now }: { readonly member: string; readonly at: string; readonly now: Instant },
): Miss | undefined {
  for (const [path, limit] of Object.entries(limits)) {
    const limited = below(member, path);
    const found = valuesAt(root, path, at);
    if (found === undefined) {
      return { member: limited, value: at + path, reason: reason("noSingleValue", { at: at + path }) };
    }
    for (const one of found) {
      const refusal = refusalOf(limit, one, now);
      if (refusal === undefined) continue;
      const [name, reason] = refusal;
      return { member: below(limited, name), value: one.at, reason };
    }
  }
  return undefined;
}
