import { decodeCall, readAbiFunction } from "../clear-signing/abi.ts";
import type { Authorization, Transaction } from "../ethereum/transaction/transaction.ts";
import { maximumFee } from "../ethereum/transaction/explain.ts";
import { toHex } from "../lib/bytes.ts";
import type { CooperativeTask } from "../lib/cooperative.ts";
import { memoizePerObject } from "../lib/memoize.ts";
import type { Instant } from "../lib/time.ts";
import { firstMiss, fitRules, type Fitting, type Trial } from "./match.ts";
import { type Miss, missOf } from "./limit.ts";
import type { AuthorizationRule, CallRule, Limits, Policy, TransactionRule } from "./policy.ts";
import { amountsOf } from "./spend.ts";
import { type StepBudget, stepsOfLength } from "./step-budget.ts";
import { amountNode, argumentsNode, createDocument, type Document, type Node } from "./values.ts";
import { type Reason, reason } from "./reason.ts";

function miss(member: string, value: string, reason: Reason): Miss {
  return { member, value, reason };
}

/** The addresses of a list in lower case, because a checksum takes a hash. */
const listed = memoizePerObject((list: readonly string[]) => new Set(list.map((one) => one.toLowerCase())));

function isListed(list: readonly string[] | "any", address: Uint8Array): boolean {
  return list === "any" || listed(list).has(toHex(address));
}

function chainMiss(rule: string, chainId: bigint): Miss | undefined {
  return rule === chainId.toString() ? undefined : miss("/chainId", "/chainId", reason("otherChain"));
}

function recipientMiss({ to }: TransactionRule, transaction: Transaction): Miss | undefined {
  if (transaction.to === null) {
    return to === "creation" ? undefined : miss("/to", "/to", reason("creation"));
  }
  if (to !== "creation" && isListed(to, transaction.to)) return undefined;
  return miss("/to", "/to", reason("recipient"));
}

function selectorMiss({ selectors }: TransactionRule, data: Uint8Array): Miss | undefined {
  if (selectors === undefined || selectors === "any") return undefined;
  // One to three bytes are no selector, so no rule lists them.
  const isNamed = data.length === 0 || data.length >= 4;
  if (isNamed && selectors.includes(toHex(data.subarray(0, 4)))) return undefined;
  return miss("/selectors", "/data", reason("selector"));
}

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
  if (call === undefined) return { kind: "nothing" };
  budget.take(stepsOfLength(data.length));
  const values = decodeCall(abiOf(call), data);
  return values && argumentsNode(abiOf(call).parameters, values);
}

function transactionNode(transaction: Transaction, args: Node): Node {
  const members = new Map([
    ["value", amountNode(transaction.value)],
    ["fee", amountNode(maximumFee(transaction))],
    ["call", args],
  ]);
  return { kind: "struct", member: (name) => members.get(name) };
}

function* delegatesMiss(
  { delegates }: TransactionRule,
  { transaction, budget }: Subject,
): CooperativeTask<Miss | undefined> {
  if (transaction.type !== "eip7702") return undefined;
  for (const [index, { address }] of transaction.authorizationList.entries()) {
    if (delegates === undefined || !isListed(delegates, address)) {
      return miss("/delegates", `/authorizationList/${index}/address`, reason("foreignCode"));
    }
    if (budget.take(1)) yield;
  }
  return undefined;
}

function amountMiss(
  member: string,
  value: string,
  { amount, most }: { amount: bigint; most: string },
): Miss | undefined {
  return amount <= BigInt(most) ? undefined : miss(member, value, reason("moreThan", { at: value, most }));
}

export function* fitTransaction(
  { transactions }: Policy,
  transaction: Transaction,
  { now, budget }: { readonly now: Instant; readonly budget: StepBudget },
): CooperativeTask<Fitting> {
  const subject: Subject = { transaction, data: toHex(transaction.data), calls: new Map(), now, budget };
  const trials: Trial[] = [];
  for (const rule of transactions) trials.push(yield* tryRule(rule, subject));
  return fitRules("/transactions", trials, reason("noTransactions"));
}

function* tryRule(rule: TransactionRule, subject: Subject): CooperativeTask<Trial> {
  const { transaction, now, budget } = subject;
  const { data, value } = transaction;
  const early = firstMiss([
    () => chainMiss(rule.chainId, transaction.chainId),
    () => recipientMiss(rule, transaction),
    () => selectorMiss(rule, data),
  ]);
  if (early !== undefined) return early;
  const document = documentOf(rule, subject);
  if (budget.take(1)) yield;
  if (document === undefined) return { ...notCall(rule.call!), passed: 3 };
  const tooMuch = firstMiss([
    () => amountMiss("/valueAtMost", "/value", { amount: value, most: rule.valueAtMost }),
    () => amountMiss("/feeAtMost", "/fee", { amount: maximumFee(transaction), most: rule.feeAtMost }),
  ]);
  if (tooMuch !== undefined) return { ...tooMuch, passed: 4 + tooMuch.passed };
  const foreign = yield* delegatesMiss(rule, subject);
  if (foreign !== undefined) return { ...foreign, passed: 6 };
  const limits = { member: "/call/where", at: "/call", now };
  const broken = yield* missOf(rule.call?.where ?? NO_LIMITS, document, limits);
  if (broken !== undefined) return { ...broken, passed: 7 };
  const spends = yield* amountsOf(rule.spends, document);
  return "member" in spends ? { ...spends, passed: 8 } : { outcome: rule.outcome, spends };
}

const NO_LIMITS: Limits = {};

function notCall(call: CallRule): Miss {
  return miss("/call/function", "/data", reason("notCall", { signature: abiOf(call).signature }));
}

export function fitAuthorization({ authorizations }: Policy, { chainId, address }: Authorization): Fitting {
  const trials = authorizations.map((rule) => tryAuthorization(rule, chainId, address));
  return fitRules("/authorizations", trials, reason("noAuthorizations"));
}

function tryAuthorization(rule: AuthorizationRule, chainId: bigint, address: Uint8Array): Trial {
  return firstMiss([
    () => chainMiss(rule.chainId, chainId),
    () =>
      isListed(rule.delegates, address) ? undefined : miss("/delegates", "/address", reason("accountCode")),
  ]) ?? { outcome: rule.outcome, spends: [] };
}
