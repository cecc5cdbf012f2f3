import { decodeCall, readAbiFunction } from "../clear-signing/abi.ts";
import type { Authorization, Transaction } from "../ethereum/transaction/transaction.ts";
import { maximumFee } from "../ethereum/transaction/explain.ts";
import { toHex } from "../lib/bytes.ts";
import type { CooperativeTask } from "../lib/cooperative.ts";
import { memoizePerObject } from "../lib/memoize.ts";
import type { Instant } from "../lib/time.ts";
import { firstMismatch, type MatchResult, matchRules, type RuleResult } from "./match.ts";
import { limitMismatchOf, type Mismatch } from "./limit.ts";
import type { AuthorizationRule, CallRule, Limits, Policy, TransactionRule } from "./policy.ts";
import { amountsOf } from "./spend.ts";
import { type StepBudget, stepsOfLength } from "./step-budget.ts";
import {
  addressNode,
  amountNode,
  argumentsNode,
  createDocument,
  type Document,
  type Node,
} from "./values.ts";
import { type Reason, reason } from "./reason.ts";

function mismatch(member: string, value: string, reason: Reason): Mismatch {
  return { member, value, reason };
}

/** The addresses of a list in lower case, because a checksum takes a hash. */
const listed = memoizePerObject((list: readonly string[]) => new Set(list.map((one) => one.toLowerCase())));

function isListed(list: readonly string[] | "any", address: Uint8Array): boolean {
  return list === "any" || listed(list).has(toHex(address));
}

function chainMismatch(rule: string, chainId: bigint): Mismatch | undefined {
  return rule === chainId.toString() ? undefined : mismatch("/chainId", "/chainId", reason("otherChain"));
}

function recipientMismatch({ to }: TransactionRule, transaction: Transaction): Mismatch | undefined {
  if (transaction.to === null) {
    return to === "creation" ? undefined : mismatch("/to", "/to", reason("creation"));
  }
  if (to !== "creation" && isListed(to, transaction.to)) return undefined;
  return mismatch("/to", "/to", reason("recipient"));
}

function selectorMismatch({ selectors }: TransactionRule, data: Uint8Array): Mismatch | undefined {
  if (selectors === undefined || selectors === "any") return undefined;
  // One to three bytes are no selector, so no rule lists them.
  const isNamed = data.length === 0 || data.length >= 4;
  if (isNamed && selectors.includes(toHex(data.subarray(0, 4)))) return undefined;
  return mismatch("/selectors", "/data", reason("selector"));
}

const NOTHING: Node = { kind: "nothing" };

const abiOf = memoizePerObject((call: CallRule) => readAbiFunction(call.function)!);

/** A transaction during one decision, and its documents by function. A call is decoded once for all rules. */
interface Subject {
  readonly transaction: Transaction;
  readonly data: string;
  /** Undefined if the data is no such call. */
  readonly calls: Map<string, Document | undefined>;
  readonly now: Instant;
  readonly budget: StepBudget;
}

/** Returns the values of the transaction and the arguments of the call. Undefined unless the data is such a call. */
function documentOf({ call }: TransactionRule, subject: Subject): Document | undefined {
  const { calls, transaction, budget } = subject;
  const name = call?.function ?? "";
  if (!calls.has(name)) {
    const args = argumentsOf(call, subject);
    calls.set(name, args && createDocument(transactionNode(transaction, args), "", budget));
  }
  return calls.get(name);
}

function argumentsOf(call: CallRule | undefined, { data, budget }: Subject): Node | undefined {
  if (call === undefined) return NOTHING;
  budget.take(stepsOfLength(data.length));
  const values = decodeCall(abiOf(call), data);
  return values && argumentsNode(abiOf(call).parameters, values);
}

function transactionNode(transaction: Transaction, args: Node): Node {
  const members = new Map([
    ["to", transaction.to === null ? NOTHING : addressNode(transaction.to)],
    ["value", amountNode(transaction.value)],
    ["fee", amountNode(maximumFee(transaction))],
    ["call", args],
  ]);
  return { kind: "struct", member: (name) => members.get(name) };
}

function* delegatesMismatch(
  { delegates }: TransactionRule,
  { transaction, budget }: Subject,
): CooperativeTask<Mismatch | undefined> {
  if (transaction.type !== "eip7702") return undefined;
  for (const [index, { address }] of transaction.authorizationList.entries()) {
    if (delegates === undefined || !isListed(delegates, address)) {
      return mismatch("/delegates", `/authorizationList/${index}/address`, reason("foreignCode"));
    }
    if (budget.take(1)) yield;
  }
  return undefined;
}

function amountMismatch(
  member: string,
  value: string,
  { amount, most }: { amount: bigint; most: string },
): Mismatch | undefined {
  return amount <= BigInt(most)
    ? undefined
    : mismatch(member, value, reason("moreThan", { at: value, most }));
}

export function* matchTransaction(
  { transactions }: Policy,
  transaction: Transaction,
  { now, budget }: { readonly now: Instant; readonly budget: StepBudget },
): CooperativeTask<MatchResult> {
  const subject: Subject = { transaction, data: toHex(transaction.data), calls: new Map(), now, budget };
  const results: RuleResult[] = [];
  for (const rule of transactions) results.push(yield* tryRule(rule, subject));
  return matchRules("/transactions", results, reason("noTransactions"));
}

function* tryRule(rule: TransactionRule, subject: Subject): CooperativeTask<RuleResult> {
  const { transaction, now, budget } = subject;
  const { data, value } = transaction;
  const early = firstMismatch([
    () => chainMismatch(rule.chainId, transaction.chainId),
    () => recipientMismatch(rule, transaction),
    () => selectorMismatch(rule, data),
  ]);
  if (early !== undefined) return early;
  const document = documentOf(rule, subject);
  if (budget.take(1)) yield;
  if (document === undefined) return { ...notCall(rule.call!), passed: 3 };
  const tooMuch = firstMismatch([
    () => amountMismatch("/valueAtMost", "/value", { amount: value, most: rule.valueAtMost }),
    () => amountMismatch("/feeAtMost", "/fee", { amount: maximumFee(transaction), most: rule.feeAtMost }),
  ]);
  if (tooMuch !== undefined) return { ...tooMuch, passed: 4 + tooMuch.passed };
  const foreign = yield* delegatesMismatch(rule, subject);
  if (foreign !== undefined) return { ...foreign, passed: 6 };
  const limits = { member: "/call/where", at: "/call", now };
  const broken = yield* limitMismatchOf(rule.call?.where ?? NO_LIMITS, document, limits);
  if (broken !== undefined) return { ...broken, passed: 7 };
  const spends = yield* amountsOf(rule.spends, document);
  return "member" in spends ? { ...spends, passed: 8 } : { outcome: rule.outcome, spends };
}

const NO_LIMITS: Limits = {};

function notCall(call: CallRule): Mismatch {
  return mismatch("/call/function", "/data", reason("notCall", { signature: abiOf(call).signature }));
}

export function matchAuthorization(
  { authorizations }: Policy,
  { chainId, address }: Authorization,
): MatchResult {
  const results = authorizations.map((rule) => tryAuthorization(rule, chainId, address));
  return matchRules("/authorizations", results, reason("noAuthorizations"));
}

function tryAuthorization(rule: AuthorizationRule, chainId: bigint, address: Uint8Array): RuleResult {
  return firstMismatch([
    () => chainMismatch(rule.chainId, chainId),
    () =>
      isListed(rule.delegates, address)
        ? undefined
        : mismatch("/delegates", "/address", reason("accountCode")),
  ]) ?? { outcome: rule.outcome, spends: [] };
}
