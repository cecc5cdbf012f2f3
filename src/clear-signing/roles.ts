import { DAY } from "../lib/time.ts";
import { type Localizable, localizable, type TextCode } from "./format-message.ts";
import type { Bound, Subject } from "./messages.en.ts";
import { findChain } from "./registry/chains.ts";
import { hasRole, isKnown } from "./directory.ts";
import type { ContractRole } from "./registry/contracts.ts";
import type { Intent, IntentField, IntentWarning, WarningCode } from "./intent.ts";
import {
  addressField,
  amountField,
  chainField,
  dateField,
  dateText,
  holderOf,
  type IntentContext,
  isUnlimited,
  warning,
  ZERO_ADDRESS,
} from "./parties.ts";

/** The label of a party, or null if an amount names it, and the requirement to avoid a warning. */
type PartyRequirement =
  | {
    readonly label: TextCode | null;
    readonly must: "be_this_key" | "be_own_key" | "be_known" | "be_spender" | "stay";
    readonly what: Subject;
  }
  | { readonly label: TextCode; readonly must: "be_anyone" }
  /** The role that a contract must have. */
  | {
    readonly label: TextCode;
    readonly must: ContractRole;
    readonly what: Subject;
    readonly else: WarningCode;
  };

/** Parties that give something, or for whom something is done. */
const GIVERS = {
  owner: { label: "owner", must: "be_this_key", what: "owner" },
  holder: { label: "holder", must: "be_this_key", what: "holder" },
  authorizer: { label: "authorizer", must: "be_this_key", what: "authorizer" },
  offerer: { label: "offerer", must: "be_this_key", what: "offerer" },
  sender: { label: "from", must: "be_this_key", what: "sender" },
  account: { label: "account", must: "be_this_key", what: "account" },
} as const satisfies Readonly<Record<string, PartyRequirement>>;

/** Parties that are called or receive a permission, and those that may be anyone. */
const OTHERS = {
  token: { label: "token", must: "be_known", what: "token" },
  item_token: { label: null, must: "be_known", what: "token" },
  collection: { label: "collection", must: "be_known", what: "collection" },
  contract: { label: "contract", must: "be_known", what: "contract" },
  spender: { label: "spender", must: "be_spender", what: "spender" },
  operator: { label: "operator", must: "be_spender", what: "operator" },
  /** Taking an allowance back needs no known spender. */
  former_spender: { label: "spender", must: "be_anyone" },
  former_operator: { label: "operator", must: "be_anyone" },
  code: { label: "codeOf", must: "be_known", what: "code" },
  delegate: { label: "codeOf", must: "account_code", what: "delegate", else: "unknown_delegate" },
  /** An account of ERC-4337 is a contract, never the key itself. */
  smart_account: { label: "account", must: "be_known", what: "account" },
  safe: { label: "safe", must: "be_anyone" },
  guard: { label: "guard", must: "stay", what: "guard" },
  fallback_handler: {
    label: "fallbackHandler",
    must: "handler",
    what: "fallback_handler",
    else: "control_change",
  },
  module: { label: "module", must: "safe_module", what: "module", else: "unknown_module" },
  former_module: { label: "module", must: "stay", what: "module" },
  new_owner: { label: "newOwner", must: "be_own_key", what: "owner" },
  implementation: { label: "codeOf", must: "account_code", what: "code", else: "control_change" },
  former_owner: { label: "oldOwner", must: "stay", what: "owner" },
  /** Any address may be paid. */
  recipient: { label: "to", must: "be_anyone" },
} as const satisfies Readonly<Record<string, PartyRequirement>>;

const AMOUNTS = {
  allowance: "maySpend",
  transfer_allowance: "mayTake",
} as const;

interface Time {
  readonly label: TextCode;
  readonly is: "start" | "end";
  readonly what: Bound;
  /** The meaning of a 0 that is not a time. Null hides the field. */
  readonly zero?: { readonly value: TextCode; readonly warning?: TextCode } | null;
}

const TIMES = {
  permit_end: { label: "usableUntil", is: "end", what: "permit_end" },
  /** DAI's own permit has no end at 0. One of ERC-2612 ends in 1970. */
  dai_permit_end: {
    label: "usableUntil",
    is: "end",
    what: "permit_end",
    zero: { value: "forEver", warning: "permitForEver" },
  },
  /** At 0, Permit2 allows it in the block in which the permit is used (Allowance.sol). */
  allowance_end: { label: "allowedUntil", is: "end", what: "allowance_end", zero: { value: "inOneBlock" } },
  /** ERC-3009 writes 0 for no beginning. */
  start: { label: "validAfter", is: "start", what: "start", zero: null },
  end: { label: "validBefore", is: "end", what: "end" },
  order_start: { label: "start", is: "start", what: "order_start" },
  order_end: { label: "until", is: "end", what: "order_end" },
  /** A zero means no end (Safe4337Module). */
  operation_end: { label: "validUntil", is: "end", what: "operation_end", zero: { value: "forEver" } },
  request_end: { label: "validUntil", is: "end", what: "request_end" },
  sign_in_end: { label: "validUntil", is: "end", what: "sign_in_end" },
  sign_in_start: { label: "notBefore", is: "start", what: "sign_in_start" },
} as const satisfies Readonly<Record<string, Time>>;

export type PartyRole = keyof typeof GIVERS | keyof typeof OTHERS;
const PARTIES: Readonly<Record<PartyRole, PartyRequirement>> = { ...GIVERS, ...OTHERS };

interface Allowed {
  readonly spender: string;
  readonly amount: bigint;
  readonly text: Localizable;
  /** True if it adds to the current allowance. */
  readonly adds?: boolean;
}

/** A signed value with its role, or a field or warning that only one standard has. */
export type Member =
  | readonly [role: PartyRole, address: string]
  | readonly [role: keyof typeof AMOUNTS, allowed: Allowed]
  /** In seconds since 1970; undefined if the time is missing. */
  | readonly [role: keyof typeof TIMES, seconds: bigint | undefined]
  | readonly [role: "chain", chainId: string]
  | IntentField
  | IntentWarning;

/** The order of an intent's warnings. Warnings that only one standard has rank with the amounts. */
const ORDER: readonly string[] = [GIVERS, AMOUNTS, TIMES, OTHERS, { chain: null }].flatMap(Object.keys);

type Derived = Pick<Intent, "fields" | "warnings">;

interface RoleContext {
  readonly context: IntentContext;
  readonly chainId: string | null;
  readonly caller: string;
}

/** Returns the members' fields in order, and the warnings for their roles. `caller` acts: the key, or a Safe. */
export function readMembers(
  context: IntentContext,
  chainId: string | null,
  members: readonly Member[],
  caller: string = holderOf(context),
): Derived {
  const read = members.map((member) => ({
    rank: ORDER.indexOf("label" in member || "level" in member ? "allowance" : member[0]),
    ...readMember({ context, chainId, caller }, member),
  }));
  return {
    fields: read.flatMap(({ fields }) => fields),
    warnings: read.toSorted((one, other) => one.rank - other.rank).flatMap(({ warnings }) => warnings),
  };
}

function readMember(roleContext: RoleContext, member: Member): Derived {
  if ("label" in member) return { fields: [member], warnings: [] };
  if ("level" in member) return { fields: [], warnings: [member] };
  const [role, value] = member;
  if (role === "chain") return { fields: [chainField(value)], warnings: chainWarnings(value) };
  if (Object.hasOwn(AMOUNTS, role)) return readAmount(role as keyof typeof AMOUNTS, value as Allowed);
  return Object.hasOwn(TIMES, role)
    ? readTime(roleContext.context, TIMES[role as keyof typeof TIMES], value as bigint | undefined)
    : readParty(roleContext, PARTIES[role as PartyRole], value as string);
}

function readParty(roleContext: RoleContext, party: PartyRequirement, address: string): Derived {
  const { label } = party;
  return {
    fields: label === null ? [] : [addressField(roleContext.context, label, roleContext.chainId, address)],
    warnings: partyWarnings(roleContext, party, address),
  };
}

function partyWarnings(
  { context, chainId, caller }: RoleContext,
  party: PartyRequirement,
  address: string,
): IntentWarning[] {
  const { signer, labels, directory } = context;
  if (party.must === "be_anyone") return [];
  const { what } = party;
  const isOwn = address === signer || labels.get(address) !== undefined;
  const unknown = localizable("unknownContract", { what, address });
  switch (party.must) {
    case "be_this_key":
      return address === signer || address === caller
        ? []
        : [warning("not_this_key", localizable("notThisKey", { what, address, signer }))];
    case "be_own_key":
      return isOwn ? [] : [warning("control_change", localizable("controlChange", { what, address }))];
    case "stay":
      return [warning("control_change", localizable("controlChange", { what, address }))];
    case "be_known":
      return isOwn || address === caller || isKnown(directory, chainId, address)
        ? []
        : [warning("unknown_contract", unknown)];
    case "be_spender":
      if (hasRole(directory, chainId, address, "executor")) {
        return [warning("anyone_may_spend", localizable("anyoneMaySpend", { what, address }))];
      }
      return isOwn ||
          ["spender" as const, "exchange" as const].some((role) => hasRole(directory, chainId, address, role))
        ? []
        : [warning("unknown_contract", unknown)];
    default:
      // The zero address removes the code of an account.
      return (party.must === "account_code" && address === ZERO_ADDRESS) ||
          hasRole(directory, chainId, address, party.must)
        ? []
        : [warning(party.else, unknown)];
  }
}

function readAmount(role: keyof typeof AMOUNTS, { spender, amount, text, adds }: Allowed): Derived {
  return {
    fields: [amountField(adds === true ? "moreBy" : "amountLabel", text, amount)],
    warnings: isUnlimited(amount)
      ? [warning("unlimited_allowance", localizable(AMOUNTS[role], { spender, amount: text }))]
      : [],
  };
}

function readTime(context: IntentContext, time: Time, seconds: bigint | undefined): Derived {
  const { label, zero } = time;
  if (seconds === undefined || (seconds === 0n && zero === null)) return { fields: [], warnings: [] };
  if (seconds !== 0n || zero === undefined || zero === null) {
    return { fields: [dateField(label, seconds)], warnings: timeWarnings(context, time, seconds) };
  }
  return {
    fields: [{ label: localizable(label), format: "date", value: localizable(zero.value), raw: "0" }],
    warnings: zero.warning === undefined ? [] : [warning("far_future", localizable(zero.warning))],
  };
}

const LONG = BigInt(30 * DAY / 1000);
const VERY_LONG = BigInt(365 * DAY / 1000);

/** Warns of times. A start only warns if it is far away, because only an end can have passed. */
function timeWarnings({ now }: IntentContext, { is, what }: Time, seconds: bigint): IntentWarning[] {
  const left = seconds - BigInt(Math.floor(now / 1000));
  const at = dateText(seconds);
  if (left > VERY_LONG) return [warning("far_future", localizable("overYearAway", { what, at }))];
  if (is === "start") return [];
  if (left < 0n) return [warning("expired", localizable("hasPassed", { what, at }))];
  return left > LONG ? [warning("long_deadline", localizable("overMonthAway", { what, at }))] : [];
}

function chainWarnings(chainId: string): IntentWarning[] {
  return findChain(chainId) === undefined
    ? [warning("unknown_chain", localizable("unknownChain", { chainId }))]
    : [];
}
