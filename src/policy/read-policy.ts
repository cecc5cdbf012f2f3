import { isObject } from "../ethereum/json-reading.ts";
import { canonicalPolicy } from "./canonical.ts";
import { type KeyPolicy, type Policy, POLICY_LIMITS, POLICY_VERSION } from "./policy.ts";
import {
  NO_MESSAGES,
  readAuthorizationRule,
  readMessages,
  readOutcome,
  readRules,
  readTransactionRule,
  readTypedDataRule,
} from "./read-rules.ts";
import {
  below,
  optional,
  readAmount,
  readCount,
  readMembers,
  refuse,
  withDefault,
} from "./policy-reading.ts";
import type { Reader } from "./policy-reading.ts";

const MEMBERS = [
  "messages",
  "typedData",
  "transactions",
  "authorizations",
  "raw",
  "digest",
  "perMinute",
  "perDay",
  "budgets",
] as const;

/** Larger limits would exceed what an account may sign. */
const MOST_PER_MINUTE = 6_000;
const MOST_PER_DAY = MOST_PER_MINUTE * 60 * 24;

const BUDGET_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;

const readBudgets: Reader<Policy["budgets"]> = (value, path) => {
  if (!isObject(value)) refuse(path, "Expected an object of budgets by name");
  const names = Object.keys(value);
  if (names.length > POLICY_LIMITS.budgets) refuse(path, `Expected at most ${POLICY_LIMITS.budgets} budgets`);
  return Object.fromEntries(names.map((name) => {
    if (!BUDGET_NAME.test(name)) {
      refuse(path, "Expected names of letters, digits, _ and -, at most 32, a letter first");
    }
    const budget = readMembers(value[name], below(path, name), { required: ["perDay"] });
    return [name, { perDay: readAmount(budget["perDay"], below(below(path, name), "perDay")) }];
  }));
};

type Members = Readonly<Record<string, unknown>>;

function readCommon(members: Members, path: string): Policy {
  if (members["version"] !== POLICY_VERSION) refuse(below(path, "version"), `Expected ${POLICY_VERSION}`);
  const policy: Policy = {
    version: POLICY_VERSION,
    messages: withDefault(members, path, "messages", readMessages, NO_MESSAGES),
    typedData: withDefault(members, path, "typedData", readRules(readTypedDataRule), []),
    transactions: withDefault(members, path, "transactions", readRules(readTransactionRule), []),
    authorizations: withDefault(members, path, "authorizations", readRules(readAuthorizationRule), []),
    raw: withDefault(members, path, "raw", readOutcome, "deny"),
    digest: withDefault(members, path, "digest", readOutcome, "deny"),
    ...optional(members, path, "perMinute", readCount(1, MOST_PER_MINUTE)),
    ...optional(members, path, "perDay", readCount(1, MOST_PER_DAY)),
    budgets: withDefault(members, path, "budgets", readBudgets, {}),
  };
  requireBudgets(policy, path);
  return policy;
}

function requireBudgets(policy: Policy, path: string): void {
  for (const kind of ["typedData", "transactions"] as const) {
    for (const [index, { spends }] of policy[kind].entries()) {
      const unknown = spends.findIndex(({ budget }) => !Object.hasOwn(policy.budgets, budget));
      if (unknown < 0) continue;
      refuse(`${path}/${kind}/${index}/spends/${unknown}/budget`, "There is no budget of this name");
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
