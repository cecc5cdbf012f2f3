import type {
  AuthorizationRule,
  CallRule,
  EffectRule,
  Limit,
  Limits,
  MessageRules,
  Outcome,
  Policy,
  SignInRule,
  Spend,
  TransactionRule,
  TypedDataRule,
} from "./policy.ts";
import { OWN_LIMITS } from "./safe.ts";
import { parseInstant } from "../lib/time.ts";
import { readAbiFunction } from "../clear-signing/abi.ts";
import { BUDGET_WINDOW_NAMES, SIGNATURE_WINDOW_NAMES } from "./windows.ts";

const FREEDOM: Readonly<Record<Outcome, number>> = { deny: 0, ask: 1, allow: 2 };

function isOutcomeWithin(after: Outcome, before: Outcome): boolean {
  return FREEDOM[after] <= FREEDOM[before];
}

/** Compares decimal digits. Undefined means no limit. */
function isAtMost(after: string | number | undefined, before: string | number | undefined): boolean {
  return before === undefined || (after !== undefined && BigInt(after) <= BigInt(before));
}

function isSubset<T>(after: readonly T[] | undefined, before: readonly T[] | undefined): boolean {
  return before === undefined || (after !== undefined && after.every((one) => before.includes(one)));
}

/** A list, or "any" for no restriction. */
type ListOrAny = readonly string[] | "any";

function isListWithin(after: ListOrAny, before: ListOrAny): boolean {
  return before === "any" || (after !== "any" && isSubset(after, before));
}

function isLimitWithin(after: Limit | undefined, before: Limit): boolean {
  return isAtMost(after?.atMost, before.atMost) && isSubset(after?.oneOf, before.oneOf) &&
    isAtMost(after?.within, before.within);
}

/** Requires every limit of `before` on the same path in `after`. */
function areLimitsWithin(after: Limits, before: Limits): boolean {
  return Object.entries(before).every(([path, limit]) =>
    isLimitWithin(Object.hasOwn(after, path) ? after[path] : undefined, limit)
  );
}

const SPEND_MEMBERS = ["budget", "path", "recipient", "channel"] as const;

/** Requires every counter of `before` in `after`. */
function areSpendsWithin(after: readonly Spend[], before: readonly Spend[]): boolean {
  return before.every((spend) =>
    after.some((one) => SPEND_MEMBERS.every((name) => one[name] === spend[name]))
  );
}

function isSignInWithin(after: SignInRule, before: SignInRule): boolean {
  return isSubset(after.domains, before.domains) && isSubset(after.chainIds, before.chainIds) &&
    (after.resources === undefined || before.resources === "any");
}

function areMessagesWithin(after: MessageRules, before: MessageRules): boolean {
  return isOutcomeWithin(after.text, before.text) && isOutcomeWithin(after.bytes, before.bytes) &&
    after.signIn.every((rule) =>
      isOutcomeWithin(rule.outcome, before.text) || isCovered(rule, before.signIn, isSignInWithin)
    );
}

/** Requires an equal member, unless `before` does not restrict it. */
function isSameOrFree(after: string | undefined, before: string | undefined): boolean {
  return before === undefined || after === before;
}

function isTypedDataWithin(after: TypedDataRule, before: TypedDataRule): boolean {
  const own = OWN_LIMITS[before.typeHash];
  return after.chainId === before.chainId && after.verifyingContract === before.verifyingContract &&
    after.typeHash === before.typeHash && isSameOrFree(after.name, before.name) &&
    isSameOrFree(after.domainVersion, before.domainVersion) &&
    areLimitsWithin({ ...own, ...after.where }, { ...own, ...before.where }) &&
    areSpendsWithin(after.spends, before.spends);
}

/** Compares the data that two rules admit: any data, calls by selector, or calls by their arguments. */
function isDataWithin(after: TransactionRule, before: TransactionRule): boolean {
  if (before.call !== undefined) return after.call !== undefined && isCallWithin(after.call, before.call);
  const called = after.call === undefined
    ? after.selectors!
    : [readAbiFunction(after.call.function)!.selector];
  return isListWithin(called, before.selectors!);
}

function isCallWithin(after: CallRule, before: CallRule): boolean {
  return after.function === before.function && areLimitsWithin(after.where, before.where);
}

function isRecipientWithin(after: TransactionRule["to"], before: TransactionRule["to"]): boolean {
  return after === "creation" || before === "creation" ? after === before : isListWithin(after, before);
}

function isTransactionWithin(after: TransactionRule, before: TransactionRule): boolean {
  return after.chainId === before.chainId && isRecipientWithin(after.to, before.to) &&
    isAtMost(after.valueAtMost, before.valueAtMost) && isAtMost(after.feeAtMost, before.feeAtMost) &&
    isDataWithin(after, before) &&
    (after.delegates === undefined || isListWithin(after.delegates, before.delegates ?? [])) &&
    areSpendsWithin(after.spends, before.spends);
}

/** Requires every asset of `after` in `before`, with at least its limits. */
function isEffectWithin(after: EffectRule, before: EffectRule): boolean {
  return after.chainId === before.chainId && isAtMost(after.feeAtMost, before.feeAtMost) &&
    after.gives.every((give) => {
      const wide = before.gives.find(({ asset }) => asset === give.asset);
      return wide !== undefined && isListWithin(give.to, wide.to) && isAtMost(give.atMost, wide.atMost) &&
        isSameOrFree(give.budget, wide.budget);
    });
}

function isAuthorizationWithin(after: AuthorizationRule, before: AuthorizationRule): boolean {
  return after.chainId === before.chainId && isListWithin(after.delegates, before.delegates);
}

/** Returns true if one rule of `before` admits all that the rule admits, with at least as free an outcome. */
function isCovered<R extends { readonly outcome: Outcome }>(
  rule: R,
  before: readonly R[],
  isStricterOrEqual: (after: R, before: R) => boolean,
): boolean {
  return before.some((one) => isOutcomeWithin(rule.outcome, one.outcome) && isStricterOrEqual(rule, one));
}

/** Requires every budget that both have to keep its windows, with at most the same amounts. */
function areBudgetsWithin(after: Policy, before: Policy): boolean {
  return Object.entries(after.budgets).every(([name, budget]) =>
    !Object.hasOwn(before.budgets, name) ||
    BUDGET_WINDOW_NAMES.every((window) => isAtMost(budget[window], before.budgets[name]![window]))
  );
}

/** Compares times in ISO 8601. Undefined means no end. */
function isNotLater(after: string | undefined, before: string | undefined): boolean {
  return before === undefined || (after !== undefined && parseInstant(after)! <= parseInstant(before)!);
}

/**
 * Returns true if `before` permits everything that `after` permits, at least as freely. Compares structure: each rule
 * must be within one rule of `before`, and budgets must keep their names and not grow. Returns false when in doubt, for
 * example if only several rules together cover one.
 */
export function isStricterOrEqual(after: Policy, before: Policy): boolean {
  return areMessagesWithin(after.messages, before.messages) &&
    after.typedData.every((rule) => isCovered(rule, before.typedData, isTypedDataWithin)) &&
    after.transactions.every((rule) => isCovered(rule, before.transactions, isTransactionWithin)) &&
    after.authorizations.every((rule) => isCovered(rule, before.authorizations, isAuthorizationWithin)) &&
    isOutcomeWithin(after.otherwise ?? "deny", before.otherwise ?? "deny") &&
    (after.effects ?? []).every((rule) => isCovered(rule, before.effects ?? [], isEffectWithin)) &&
    isOutcomeWithin(after.raw, before.raw) && isOutcomeWithin(after.digest, before.digest) &&
    SIGNATURE_WINDOW_NAMES.every((window) => isAtMost(after[window], before[window])) &&
    areBudgetsWithin(after, before) && isNotLater(after.notAfter, before.notAfter);
}
