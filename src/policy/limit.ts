import { SECOND } from "../lib/time.ts";
import type { Instant } from "../lib/time.ts";
import type { Limit, Limits } from "./policy.ts";
import { below } from "./policy-reading.ts";
import { valuesAt } from "./values.ts";
import type { Found, Leaf, Node } from "./values.ts";
import { reason } from "./reason.ts";
import type { Reason } from "./reason.ts";

/** Why a rule is not for an act: which member of the rule, and which value of the document. */
export interface Miss {
  /** JSON pointer from the rule on. */
  readonly member: string;
  readonly value: string | null;
  readonly reason: Reason;
}

/** The value of an integer from 0 up; undefined of anything else. */
export function amountOf({ kind, value }: Leaf): bigint | undefined {
  if (kind !== "uint" && kind !== "int") return undefined;
  const amount = BigInt(value);
  return amount < 0n ? undefined : amount;
}

/** Whether a value is this one of a list: as its own type writes it, whatever the case of hex and the way of digits. */
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

/** What each member of a limit says of a value that it refuses. */
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

/**
 * The first limit that does not hold for every value on its path; undefined when all do. `member` is where the limits
 * stand in the rule, `at` where the values stand in the document.
 */
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
