import { isObject } from "../ethereum/json-reading.ts";
import { canonicalPolicy } from "./canonical.ts";
import { parseInstant, toIso } from "../lib/time.ts";
import { type Budget, type KeyPolicy, type Policy, POLICY_LIMITS, POLICY_VERSION } from "./policy.ts";
import {
  NO_MESSAGES,
  readAuthorizationRule,
  readEffectRule,
  readMessages,
  readOutcome,
  readRules,
  readTransactionRule,
  readTypedDataRule,
} from "./read-rules.ts";
import {
  below,
  optional,
  optionals,
  readAmount,
  readCount,
  readMembers,
  refuse,
  withDefault,
} from "./policy-reading.ts";
import type { Reader } from "./policy-reading.ts";
import {
  BUDGET_WINDOW_NAMES,
  type BudgetWindow,
  SIGNATURE_WINDOW_NAMES,
  type SignatureWindow,
} from "./windows.ts";

const MEMBERS = [
  "messages",
  "typedData",
  "transactions",
  "authorizations",
  "effects",
  "raw",
  "digest",
  "otherwise",
  ...SIGNATURE_WINDOW_NAMES,
  "budgets",
  "notAfter",
] as const;

/** Larger limits would exceed what an account may sign. */
const MOST_PER_MINUTE = 6_000;
const MOST_PER_DAY = MOST_PER_MINUTE * 60 * 24;

const SIGNATURE_READERS: Readonly<Record<SignatureWindow, Reader<number>>> = {
  perMinute: readCount(1, MOST_PER_MINUTE),
  perDay: readCount(1, MOST_PER_DAY),
  rollingHour: readCount(1, MOST_PER_MINUTE * 60),
  rollingDay: readCount(1, MOST_PER_DAY),
  rollingWeek: readCount(1, MOST_PER_DAY * 7),
  total: readCount(1, Number.MAX_SAFE_INTEGER),
};

const BUDGET_READERS: Readonly<Record<BudgetWindow, Reader<string>>> = {
  perDay: readAmount,
  rollingHour: readAmount,
  rollingDay: readAmount,
  rollingWeek: readAmount,
  total: readAmount,
};

const BUDGET_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;

const readBudgets: Reader<Policy["budgets"]> = (value, path) => {
  if (!isObject(value)) refuse(path, "Expected an object of budgets by name");
  const names = Object.keys(value);
  if (names.length > POLICY_LIMITS.budgets) refuse(path, `Expected at most ${POLICY_LIMITS.budgets} budgets`);
  return Object.fromEntries(names.map((name) => {
    if (!BUDGET_NAME.test(name)) {
      refuse(path, "Expected names of letters, digits, _ and -, at most 32, a letter first");
    }
    return [name, readBudget(value[name], below(path, name))];
  }));
};

const readBudget: Reader<Budget> = (value, path) => {
  const members = readMembers(value, path, { required: [], optional: BUDGET_WINDOW_NAMES });
  if (Object.keys(members).length === 0) refuse(path, `Expected ${BUDGET_WINDOW_NAMES.join(" or ")}`);
  return optionals(members, path, BUDGET_READERS);
};

/** Reads a time in ISO 8601 in UTC, and returns it with milliseconds. */
const readTime: Reader<string> = (value, path) => {
  const instant = typeof value === "string" ? parseInstant(value) : undefined;
  if (instant === undefined) refuse(path, 'Expected a time in UTC such as "2030-12-31T00:00:00Z"');
  return toIso(instant);
};

type Members = Readonly<Record<string, unknown>>;

/** Reads `otherwise`, by default `deny`, which the normal form leaves out. */
function readOtherwise(members: Members, path: string): "ask" | "deny" {
  const { otherwise = "deny" } = members;
  return otherwise === "ask" || otherwise === "deny"
    ? otherwise
    : refuse(below(path, "otherwise"), "Expected deny or ask");
}

function readCommon(members: Members, path: string): Policy {
  if (members["version"] !== POLICY_VERSION) refuse(below(path, "version"), `Expected ${POLICY_VERSION}`);
  const policy: Policy = {
    version: POLICY_VERSION,
    messages: withDefault(members, path, "messages", readMessages, NO_MESSAGES),
    typedData: withDefault(members, path, "typedData", readRules(readTypedDataRule), []),
    transactions: withDefault(members, path, "transactions", readRules(readTransactionRule), []),
    authorizations: withDefault(members, path, "authorizations", readRules(readAuthorizationRule), []),
    ...readEffects(members, path),
    raw: withDefault(members, path, "raw", readOutcome, "deny"),
    digest: withDefault(members, path, "digest", readOutcome, "deny"),
    ...(readOtherwise(members, path) === "ask" ? { otherwise: "ask" as const } : {}),
    ...optionals(members, path, SIGNATURE_READERS),
    budgets: withDefault(members, path, "budgets", readBudgets, {}),
    ...optional(members, path, "notAfter", readTime),
  };
  requireBudgets(policy, path);
  return policy;
}

/** Leaves out an empty list, so that a policy without such rules keeps its hash. */
function readEffects(members: Members, path: string): Pick<Policy, "effects"> {
  const effects = withDefault(members, path, "effects", readRules(readEffectRule), []);
  return effects.length === 0 ? {} : { effects };
}

/** Requires that each spend names a budget, and that a budget is for each recipient in all its spends or in none. */
function requireBudgets(policy: Policy, path: string): void {
  const isForEach = new Map<string, boolean>();
  for (const kind of ["typedData", "transactions"] as const) {
    for (const [index, { spends }] of policy[kind].entries()) {
      for (const [place, { budget, recipient }] of spends.entries()) {
        const at = `${path}/${kind}/${index}/spends/${place}`;
        if (!Object.hasOwn(policy.budgets, budget)) refuse(`${at}/budget`, "There is no budget of this name");
        if ((isForEach.get(budget) ?? recipient !== undefined) !== (recipient !== undefined)) {
          refuse(`${at}/recipient`, "Expected recipient in all spends of a budget or in none");
        }
        isForEach.set(budget, recipient !== undefined);
      }
    }
  }
  for (const [index, { gives }] of (policy.effects ?? []).entries()) {
    for (const [place, { budget }] of gives.entries()) {
      if (budget === undefined) continue;
      const at = `${path}/effects/${index}/gives/${place}/budget`;
      if (!Object.hasOwn(policy.budgets, budget)) refuse(at, "There is no budget of this name");
      if (isForEach.get(budget) === true) {
        refuse(at, "Expected a budget that no spend has for each recipient");
      }
    }
  }
}

function requireSize<P extends Policy>(policy: P, path: string): P {
  if (canonicalPolicy(policy).length > POLICY_LIMITS.canonical) {
    refuse(path, `Too long: at most ${POLICY_LIMITS.canonical} characters as canonical JSON`);
  }
  return policy;
}

/**
 * Reads a policy from JSON into its normal form. Throws `invalid_request` with the JSON pointer of the fault after
 * `path`. Refuses unknown and missing members. The policy refuses what the caller leaves out. Does not see what
 * JSON.parse has lost: duplicate members.
 */
export function readPolicy(value: unknown, path = ""): Policy {
  const members = readMembers(value, path, { required: ["version"], optional: MEMBERS });
  return requireSize(readCommon(members, path), path);
}

/** Reads the policy of a key. Defaults `delayHours` to 0 and `locked` to false. */
export function readKeyPolicy(value: unknown, path = ""): KeyPolicy {
  const members = readMembers(value, path, {
    required: ["version"],
    optional: [...MEMBERS, "delayHours", "locked"],
  });
  const policy = {
    ...readCommon(members, path),
    delayHours: withDefault(members, path, "delayHours", readCount(0, 168), 0),
    locked: withDefault(members, path, "locked", readFlag, false),
  };
  return requireSize(policy, path);
}

const readFlag: Reader<boolean> = (value, path) =>
  typeof value === "boolean" ? value : refuse(path, "Expected true or false");
