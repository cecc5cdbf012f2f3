import { readAddress } from "../ethereum/address.ts";
import { isObject } from "../ethereum/json-reading.ts";
import { readPath } from "./value-path.ts";
import { type Limit, type Limits, POLICY_LIMITS, type Spend } from "./policy.ts";
import {
  below,
  optional,
  readAmount,
  readCount,
  readInteger,
  readList,
  readMembers,
  readSet,
  readText,
  refuse,
} from "./policy-reading.ts";
import type { Reader } from "./policy-reading.ts";

/** A year, in seconds. A later limit would limit little. */
const LONGEST_WITHIN = 366 * 24 * 60 * 60;

const readWholeNumber = readInteger(-(2n ** 255n), 2n ** 256n - 1n);

const readValue: Reader<string | boolean> = (value, path) => {
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return readWholeNumber(value, path);
  const text = readText(value, path);
  if (/^0x[0-9a-fA-F]{40}$/.test(text) && readAddress(text) === undefined) {
    refuse(path, "Wrong checksum: letters are not in the case that EIP-55 gives");
  }
  return text;
};

const readLimit: Reader<Limit> = (value, path) => {
  const members = readMembers(value, path, { required: [], optional: ["atMost", "oneOf", "within"] });
  if (Object.keys(members).length === 0) refuse(path, "Expected atMost, oneOf or within");
  return {
    ...optional(members, path, "atMost", readAmount),
    ...optional(members, path, "oneOf", readSet(readValue)),
    ...optional(members, path, "within", readCount(0, LONGEST_WITHIN)),
  };
};

export const readLimits: Reader<Limits> = (value, path) => {
  if (!isObject(value)) refuse(path, "Expected an object of limits by path");
  const entries = Object.entries(value);
  if (entries.length > POLICY_LIMITS.paths) refuse(path, `Expected at most ${POLICY_LIMITS.paths} paths`);
  return Object.fromEntries(entries.map(([name, limit]) => {
    const where = readPath(name, path);
    return [where, readLimit(limit, below(path, where))];
  }));
};

const readSpend: Reader<Spend> = (value, path) => {
  const members = readMembers(value, path, {
    required: ["budget"],
    optional: ["path", "recipient", "channel"],
  });
  if (Object.hasOwn(members, "channel") && !Object.hasOwn(members, "path")) {
    refuse(below(path, "path"), "Missing member: the amounts of a channel");
  }
  return {
    budget: readText(members.budget, below(path, "budget")),
    ...optional(members, path, "path", readPath),
    ...optional(members, path, "recipient", readPath),
    ...optional(members, path, "channel", readPath),
  };
};

/** Reads what counts against budgets, each path once for a budget. Does not check that the budgets exist. */
export const readSpends: Reader<readonly Spend[]> = (value, path) => {
  const spends = readList(readSpend, 0, POLICY_LIMITS.paths)(value, path);
  for (const [index, one] of spends.entries()) {
    const first = spends.findIndex(({ budget, path }) => budget === one.budget && path === one.path);
    if (first < index) refuse(below(path, index), "Expected each path once for a budget");
  }
  return spends;
};
